"""Ines sets up: the first account, a course, its roster, an assignment, its dates."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

from playwright.sync_api import expect

from tests.browser import coursework
from tests.browser.acting import ASSIGNMENT, COURSE, publish
from tests.browser.stage import Stage
from tests.web import PASSWORD

ROSTER = """\
\ufeffName;SIS Login ID;E-mail;Section;Role;Favourite colour
Ada Lovelace;ada;ada@example.edu;A;student;green
Ben Okri;ben;ben@example.edu;A;student;
"O'Neill, Cara";cara;cara@example.edu;B;student;=1+1
Tom Bell;tom;tom@example.edu;;ta;
"""


def the_first_account(stage: Stage) -> None:
    """Whoever has the code from the terminal makes the first account."""
    ines = stage.arrives("ines", "Ines Duarte")
    ines.open("/")
    expect(ines.page).to_have_url(f"{stage.server.url}/setup")
    ines.fill(code="not-the-code", login=ines.login, name=ines.name, password=PASSWORD)
    with ines.a_refusal():
        ines.press("Make the account")
    expect(ines.page.locator("#f-code-error")).to_be_visible()
    ines.fill(code=stage.server.setup_code, password=PASSWORD)
    ines.press("Make the account")
    expect(ines.page.get_by_role("heading", level=1)).to_have_text("Your courses")


def a_course(stage: Stage) -> None:
    """Ines makes a course and imports its roster after a look at what will change."""
    page = stage.people["ines"].page
    ines = stage.people["ines"]
    ines.open("/")
    ines.follow("New course")
    ines.fill(title="Differentiable Programming 2027", slug="jax-2027", timezone="Europe/Zurich")
    ines.press("Make the course")
    expect(page).to_have_url(f"{stage.server.url}{COURSE}")
    ines.follow("Roster")
    page.get_by_label("Roster as CSV").set_input_files(
        {"name": "roster.csv", "mimeType": "text/csv", "buffer": ROSTER.encode()}
    )
    ines.press("Show what will change")
    expect(page.get_by_role("heading", level=1)).to_have_text("What this file will change")
    expect(page.locator("main")).to_contain_text("4 new, 0 changed")
    expect(page.locator("main")).to_contain_text("Left aside: Favourite colour")
    ines.press("Import as shown")
    expect(page.get_by_role("status")).to_contain_text("4 added")
    expect(page.get_by_role("link", name="Cara O'Neill")).to_be_visible()


def links_to_come_in(stage: Stage) -> None:
    """Ines makes links: one for each of the roster, and some for whoever gets them."""
    ines = stage.people["ines"]
    ines.open(f"{COURSE}/roster")
    ines.press("Make links for them")
    for line in ines.page.locator("[aria-labelledby=links] li").all():
        login = line.inner_text().partition("(")[2].partition(")")[0]
        stage.links[login] = line.locator("code").inner_text()
    assert stage.links.keys() == {"ada", "ben", "cara", "tom"}
    for login, role in (("tara", "ta"), ("dora", "student"), ("spare", "student")):
        ines.page.locator("#f-role").select_option(role)
        ines.press("Make a link")
        stage.links[login] = ines.page.locator("[aria-labelledby=links] code").inner_text()


def a_publication(stage: Stage) -> None:
    """Ines uploads an assignment; the gate grades its programs, and students do not see the draft."""
    publish(stage.people["ines"], coursework.archive(coursework.folder()))
    gate = stage.people["ines"].page.locator("#gate")
    expect(gate.get_by_role("row", name="mutant branches_on_values")).to_contain_text("fails exactly these")
    expect(gate).to_contain_text("version 1")


def dates(stage: Stage) -> None:
    """Ines sets the dates, and takes the draft away."""
    ines = stage.people["ines"]
    ines.open(f"{ASSIGNMENT}/edit")
    due = datetime.now(UTC) + timedelta(days=7)
    ines.fill(due=due.strftime("%Y-%m-%dT23:59"), closes=(due + timedelta(days=3)).strftime("%Y-%m-%dT23:59"))
    ines.page.get_by_label("What it loses").select_option("per_day")
    ines.fill(per_day="10")
    ines.page.get_by_label("Draft: students do not see that it exists").uncheck()
    ines.press("Save")
    expect(ines.page.get_by_role("status")).to_contain_text("Dates and rules are saved")


def people_come_in(stage: Stage) -> None:
    """Those of the roster choose a password; Tara and Dora make accounts with their links."""
    for login, name in (("ada", "Ada Lovelace"), ("ben", "Ben Okri"), ("tom", "Tom Bell")):
        person = stage.arrives(login, name)
        person.open(stage.links[login])
        person.fill(password=PASSWORD)
        person.press("Join")
        expect(person.page).to_have_url(f"{stage.server.url}{COURSE}")
    for login, name in (("tara", "Tara Singh"), ("dora", "Dora Maar")):
        person = stage.arrives(login, name)
        person.open(stage.links[login])
        person.fill(login=login, name=name, password=PASSWORD)
        person.press("Join")
        expect(person.page.get_by_role("link", name=coursework.TITLE, exact=True)).to_be_visible()
