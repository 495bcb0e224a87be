"""Every page, looked at: light and dark, wide and narrow, with eyes, by keyboard, and by axe-core."""

from __future__ import annotations

import pytest

from tests.browser.looking import (
    MOST_BYTES,
    MOST_SHIFT,
    barriers,
    beyond_the_edge,
    keyboard_troubles,
    shift,
    weighed,
)
from tests.browser.pages import PAGES
from tests.browser.people import DESKTOP, PHONE
from tests.browser.stage import Stage, Story

pytestmark = [pytest.mark.browser, pytest.mark.linux, pytest.mark.timeout(900)]


@pytest.fixture(scope="session")
def told(story: Story) -> Stage:
    """The story, all of it."""
    return story.tell()


@pytest.mark.parametrize("name", PAGES)
def test_a_page_is_light_and_still_and_everybody_can_use_it(told: Stage, name: str) -> None:
    shown = PAGES[name]
    person = shown.person(told)
    with weighed(person.page) as weights, person.a_refusal():
        page = person.open(shown.path(told))
        moved = shift(page)
    with person.a_refusal():
        shown.prepare(page)
    found = {
        "console": told.troubles(),
        "light": barriers(page),
        "keyboard": keyboard_troubles(page),
    }
    page.emulate_media(color_scheme="dark")
    found["dark"] = barriers(page, only="color-contrast")
    page.set_viewport_size(PHONE)
    found["dark, on a phone"] = barriers(page)
    found["sideways, on a phone"] = beyond_the_edge(page)
    page.emulate_media(color_scheme="light")
    found["on a phone"] = barriers(page, only="color-contrast")
    page.set_viewport_size(DESKTOP)

    assert {question: answers for question, answers in found.items() if answers} == {}
    assert moved < MOST_SHIFT
    assert sum(weights.values()) < MOST_BYTES, weights
