"""Every page of the site by its name: who looks at it and where it is, once the story is told."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from playwright.sync_api import Page

from tests.browser.acting import ASSIGNMENT, COURSE, log_in_until_it_pauses
from tests.browser.people import Person, sit_down
from tests.browser.stage import Stage
from tests.web import PASSWORD

NOBODY = "nobody"


@dataclass(frozen=True, slots=True, kw_only=True)
class Shown:
    """A page: a login (NOBODY for a fresh browser), its address, and what is done before it is looked at."""

    login: str
    path: Callable[[Stage], str]
    prepare: Callable[[Page], None] = lambda _page: None

    def person(self, stage: Stage) -> Person:
        """Who looks at it."""
        if self.login == NOBODY and NOBODY not in stage.people:
            stage.people[NOBODY] = sit_down(stage.browser, stage.server.url, login=NOBODY, name="")
        return stage.people[self.login]


def _at(login: str, path: str, prepare: Callable[[Page], None] = lambda _page: None) -> Shown:
    return Shown(login=login, path=lambda _stage: path, prepare=prepare)


def _of(login: str, whose: str, tail: str = "") -> Shown:
    """A page of somebody's newest submission."""
    return Shown(login=login, path=lambda stage: f"{stage.submissions[whose]}{tail}")


def _review(login: str, whose: str, query: str = "") -> Shown:
    return Shown(
        login=login, path=lambda stage: stage.submissions[whose].replace("/submissions", "/review") + query
    )


def _difference(stage: Stage) -> str:
    new, old = stage.submissions["ada"], stage.submissions["ada, first"]
    return f"{new}/diff/{old.rpartition('/')[2]}"


def unfold(page: Page) -> None:
    """Open everything that is folded away."""
    page.evaluate("document.querySelectorAll('details').forEach((part) => { part.open = true; })")


def _refused(page: Page) -> None:
    page.locator("[name=name]").fill("ada")
    page.locator("[name=password]").fill(PASSWORD[::-1])
    with page.expect_navigation(wait_until="load"):
        page.get_by_role("button", name="Log in").click()


def _preview(page: Page) -> None:
    roster = "Name,Login,Role\nAda Lovelace,ada,student\nEva Hesse,eva,student\n,,\nNo Role,norole,dean\n"
    page.get_by_label("Roster as CSV").set_input_files(
        {"name": "roster.csv", "mimeType": "text/csv", "buffer": roster.encode()}
    )
    with page.expect_navigation(wait_until="load"):
        page.get_by_role("button", name="Show what will change").click()


def _publication(page: Page) -> None:
    with page.expect_navigation(wait_until="load"):
        page.locator("main table a").first.click()


def _token(page: Page) -> None:
    page.locator("#f-token-name").fill("laptop")
    with page.expect_navigation(wait_until="load"):
        page.get_by_role("button", name="Make it").click()


PAGES: dict[str, Shown] = {
    "log-in": _at(NOBODY, "/login"),
    "log-in-refused": _at(NOBODY, "/login", _refused),
    "log-in-paused": _at(NOBODY, "/login", lambda page: log_in_until_it_pauses(page, name="nobody-here")),
    "join": Shown(login=NOBODY, path=lambda stage: stage.links["spare"]),
    "no-such-page": _at("ada", "/courses/nowhere"),
    "courses": _at("ines", "/"),
    "account": _at("ada", "/account"),
    "account-new-token": _at("ines", "/account", _token),
    "student-course": _at("ada", COURSE),
    "student-assignment": _at("ada", ASSIGNMENT),
    "student-waiting": _of("ada", "ada, waiting"),
    "student-report": _of("ben", "ben"),
    "student-report-unfolded": Shown(
        login="ben", path=lambda stage: stage.submissions["ben"], prepare=unfold
    ),
    "student-report-full": _of("ada", "ada"),
    "student-receipt": _of("ada", "ada", "/receipt"),
    "student-request": _of("ben", "ben", "/request"),
    "student-difference": Shown(login="ada", path=_difference),
    "student-difference-split": Shown(login="ada", path=lambda stage: _difference(stage) + "?split=true"),
    "new-course": _at("ines", "/courses/new"),
    "staff-course": _at("ines", COURSE),
    "staff-assignment": _at("ines", ASSIGNMENT),
    "roster": _at("ines", f"{COURSE}/roster"),
    "roster-preview": _at("ines", f"{COURSE}/roster", _preview),
    "roster-member": _at("ines", f"{COURSE}/roster/members/ada"),
    "publish": _at("ines", f"{COURSE}/publish"),
    "publication": _at("ines", f"{COURSE}/publish", _publication),
    "versions": _at("ines", f"{ASSIGNMENT}/versions"),
    "version": _at("ines", f"{ASSIGNMENT}/versions/2"),
    "dates": _at("ines", f"{ASSIGNMENT}/edit"),
    "regrades": _at("ines", f"{ASSIGNMENT}/regrades"),
    "regrade": Shown(login="ines", path=lambda stage: stage.plan),
    "results": _at("ines", f"{ASSIGNMENT}/results", unfold),
    "gradebook": _at("ines", f"{COURSE}/gradebook"),
    "gradebook-student": _at("ines", f"{COURSE}/students/ben", unfold),
    "dashboard": _at("ines", f"{COURSE}/dashboard"),
    "exports": _at("ines", f"{COURSE}/exports"),
    "settings": _at("ines", f"{COURSE}/settings"),
    "review-queue": _at("tom", f"{COURSE}/review"),
    "review-queue-blind": _at("tom", f"{COURSE}/review?blind=yes"),
    "review": _review("tom", "ben"),
    "review-unfolded": Shown(
        login="tom",
        path=lambda stage: stage.submissions["ben"].replace("/submissions", "/review"),
        prepare=unfold,
    ),
    "review-blind": _review("tom", "cara", "?blind=yes"),
    "clusters": _at("tom", f"{COURSE}/review/clusters/centred-rows"),
    "kept-comments": _at("tom", f"{COURSE}/review/bank", unfold),
}
"""Every page, in the order in which people come to see them."""
