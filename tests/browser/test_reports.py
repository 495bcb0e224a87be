"""A report with every kind of evidence, and one that is hostile, as the file that a student keeps."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Dialog, Page

from grader.domain.results import AttemptResult
from grader.domain.submission import SubmittedFiles
from grader.domain.view import Audience, Reader, view_of
from grader.presentation.html import Heading, render_report
from tests.browser.looking import barriers, beyond_the_edge, keyboard_troubles
from tests.browser.pages import unfold
from tests.browser.people import DESKTOP, PHONE
from tests.builders import everything, hostile, submitted

pytestmark = pytest.mark.browser


@pytest.fixture
def page(browser: Browser) -> Iterator[Page]:
    """A wide, light window, which lets no dialogue pass."""
    page = browser.new_page(viewport=DESKTOP, color_scheme="light")
    page.on("dialog", _refuse)
    yield page
    page.close()


@pytest.mark.parametrize("kind", ["everything", "hostile"])
def test_a_report_can_be_read_by_everybody(page: Page, kind: str, tmp_path: Path) -> None:
    result, source = (everything(), submitted()) if kind == "everything" else hostile()
    page.goto(_kept(result, source, tmp_path))
    unfold(page)
    found = {"light": barriers(page), "keyboard": keyboard_troubles(page)}
    page.emulate_media(color_scheme="dark")
    found["dark"] = barriers(page, only="color-contrast")
    page.set_viewport_size(PHONE)
    found["dark, on a phone"] = barriers(page)
    found["sideways, on a phone"] = beyond_the_edge(page)
    assert {question: answers for question, answers in found.items() if answers} == {}


def _kept(result: AttemptResult, source: SubmittedFiles, folder: Path) -> str:
    view = view_of(result, Reader(audience=Audience.STAFF, released=True, past_due=True), source=source)
    path = folder / "report.html"
    path.write_text(render_report(view, source=source, heading=Heading(title="All of it")), encoding="utf-8")
    return path.as_uri()


def _refuse(dialog: Dialog) -> None:
    raise AssertionError(f"a report has opened a dialogue: {dialog.message}")
