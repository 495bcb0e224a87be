"""The log-in page when somebody guesses: without scripts, without barriers, and open to whom it knows."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest
from playwright.sync_api import Browser, expect

from tests.browser.acting import log_in_until_it_pauses
from tests.browser.looking import barriers, beyond_the_edge, keyboard_troubles
from tests.browser.people import DESKTOP, PHONE, Person, sit_down
from tests.served import served

pytestmark = [pytest.mark.browser, pytest.mark.linux, pytest.mark.timeout(600)]


@dataclass(frozen=True, slots=True, kw_only=True)
class Doorstep:
    """A server of its own, for its log-in pauses, and a browser to come with."""

    url: str
    browser: Browser

    def somebody(self, *, scripts: bool) -> Person:
        """Somebody at a fresh browser, about to log in as Ada."""
        return sit_down(self.browser, self.url, login="ada", name="Ada", java_script_enabled=scripts)


@pytest.fixture
def doorstep(browser: Browser, tmp_path: Path) -> Iterator[Doorstep]:
    with served(tmp_path) as (_, port):
        yield Doorstep(url=f"http://127.0.0.1:{port}", browser=browser)


@pytest.mark.parametrize("scripts", [True, False], ids=["with scripts", "without scripts"])
def test_a_stranger_has_to_wait_and_the_owner_comes_in_where_they_are_known(
    doorstep: Doorstep, *, scripts: bool
) -> None:
    owner, stranger = doorstep.somebody(scripts=scripts), doorstep.somebody(scripts=scripts)
    owner.log_in()
    owner.press("Log out")
    with stranger.a_refusal():
        log_in_until_it_pauses(stranger.page, name="ada")
    expect(stranger.page.locator("[name=name]")).to_have_value("ada")
    expect(stranger.page.locator("[name=password]")).to_have_value("")
    owner.log_in()
    expect(owner.page.get_by_role("heading", level=1)).to_have_text("Your courses")
    assert owner.troubles + stranger.troubles == []


def test_a_log_in_page_that_pauses_has_no_barriers(doorstep: Doorstep) -> None:
    stranger = doorstep.somebody(scripts=True)
    page = stranger.page
    with stranger.a_refusal():
        log_in_until_it_pauses(page, name="ada")
    found = {"light": barriers(page), "keyboard": keyboard_troubles(page)}
    page.emulate_media(color_scheme="dark")
    found["dark"] = barriers(page, only="color-contrast")
    page.set_viewport_size(PHONE)
    found["on a phone"] = [*barriers(page), *beyond_the_edge(page)]
    page.set_viewport_size(DESKTOP)
    assert {question: answers for question, answers in found.items() if answers} == {}
    assert stranger.troubles == []
