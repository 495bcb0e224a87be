"""What every page is asked would be found where it is wrong."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from playwright.sync_api import Browser, Page

from tests.browser.looking import barriers, beyond_the_edge, keyboard_troubles, shift
from tests.browser.people import PHONE, WATCH_SHIFTS

pytestmark = pytest.mark.browser

GOOD = """<!doctype html><html lang="en"><head><title>Good</title>
<meta name="viewport" content="width=device-width"></head>
<body><main><h1>Good</h1><a href="/">Home</a> <button>Press</button></main></body></html>"""


@pytest.fixture
def page(browser: Browser) -> Iterator[Page]:
    """A page of our own, as narrow as a phone's."""
    page = browser.new_page(viewport=PHONE)
    page.add_init_script(WATCH_SHIFTS)
    page.route("**/*", lambda route: route.fulfill(body=GOOD, content_type="text/html"))
    page.goto("http://127.0.0.1:1/")
    yield page
    page.close()


def spoil(page: Page, html: str) -> None:
    page.evaluate("html => document.querySelector('main').insertAdjacentHTML('beforeend', html)", html)


def test_nothing_is_found_where_nothing_is_wrong(page: Page) -> None:
    assert barriers(page) == []
    assert keyboard_troubles(page) == []
    assert beyond_the_edge(page) == []
    assert shift(page) == 0


def test_a_field_without_a_label_is_a_barrier(page: Page) -> None:
    spoil(page, "<input>")
    assert any(item.startswith("label:") for item in barriers(page))


def test_pale_words_are_a_barrier(page: Page) -> None:
    spoil(page, "<p style='color: #ccc; background: #fff'>pale</p>")
    assert barriers(page, only="color-contrast") != []


def test_a_button_that_tab_skips_is_found(page: Page) -> None:
    spoil(page, "<button tabindex='-1'>Skipped</button>")
    assert keyboard_troubles(page) == ['never reached: <button tabindex="-1">Skipped</button>']


def test_a_focus_that_cannot_be_seen_is_found(page: Page) -> None:
    spoil(page, "<button style='outline: none'>Dark</button>")
    assert any(item.startswith("focus not seen") for item in keyboard_troubles(page))


def test_what_is_wider_than_the_window_is_found(page: Page) -> None:
    spoil(page, "<pre style='width: 900px'>wide</pre>")
    assert any("wide" in item for item in beyond_the_edge(page))


def test_a_page_that_moves_by_itself_is_found(page: Page) -> None:
    page.evaluate("document.querySelector('h1').style.marginTop = '300px'")
    page.wait_for_function("window.shifts.length > 0")
    assert shift(page) > 0
