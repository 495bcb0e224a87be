"""Ada, Ben and Cara hand in, and read what became of it."""

from __future__ import annotations

import shlex

from playwright.sync_api import expect

from tests.browser import coursework
from tests.browser.acting import ASSIGNMENT, drop, python_file, submission_path, watch_grading
from tests.browser.people import GRADED_MS
from tests.browser.stage import Stage
from tests.web import PASSWORD


def a_faulty_file(stage: Stage) -> None:
    """Ada drops a faulty file, watches it being graded, and reads what is wrong on which line."""
    ada = stage.people["ada"]
    ada.open(ASSIGNMENT)
    drop(ada.page, coursework.ENTRY, "def centre(x):\n    return (\n")
    expect(ada.page.locator("#precheck")).to_contain_text("does not parse")
    drop(ada.page, coursework.ENTRY, coursework.FAULTY)
    expect(ada.page.locator("#precheck")).to_contain_text("every function is there")
    stage.server.pause_worker()
    ada.press("Hand in")
    stage.submissions["ada"] = submission_path(ada.page)
    expect(ada.page.get_by_role("status").last).to_contain_text("Waiting in the queue")
    stage.server.resume_worker()
    watch_grading(ada.page)
    expect(ada.page.locator(".masthead")).to_contain_text("4 of 7")
    marked = ada.page.locator(".line.marked", has_text="if jnp.all(x == 0)")
    expect(marked.first).to_contain_text(str(coursework.FAULTY_LINE))


def a_mended_file(stage: Stage) -> None:
    """Ada pastes what she has mended, and gets the points; nothing claims that hidden checks passed."""
    ada = stage.people["ada"]
    faulty = stage.submissions["ada, first"] = stage.submissions["ada"]
    ada.open(ASSIGNMENT)
    ada.page.get_by_label("Or paste your code").fill(coursework.SOLUTION)
    ada.press("Hand in")
    stage.submissions["ada"] = submission_path(ada.page)
    watch_grading(ada.page)
    expect(ada.page.locator(".masthead")).to_contain_text("7 of 7")
    expect(ada.page.locator("main")).to_contain_text("1 check more, worth 1, not shown")
    ada.follow("What changed between submissions 2 and 1")
    expect(ada.page.locator("tr.removed")).to_contain_text(["# Nothing to do"])
    ada.open(faulty)
    expect(ada.page.locator("[aria-labelledby=counts]")).to_contain_text("another one does")


def a_receipt(stage: Stage) -> None:
    """Ada keeps her receipt, and the command line verifies it without the server."""
    ada = stage.people["ada"]
    ada.open(f"{stage.submissions['ada']}/receipt")
    shown = shlex.split(ada.page.locator("code.secret").inner_text())
    with ada.page.expect_download() as download:
        ada.page.get_by_role("link", name="Download the signed receipt").click()
    path = stage.server.home / download.value.suggested_filename
    download.value.save_as(path)
    assert shown[:4] == ["grader", "receipt", "verify", path.name]
    assert "ada" in stage.server.command("receipt", "verify", str(path), *shown[4:])


def without_scripts(stage: Stage) -> None:
    """Cara, whose browser runs no scripts, joins, hands in, waits, and reads her report."""
    cara = stage.arrives("cara", "Cara O'Neill", java_script_enabled=False)
    cara.open(stage.links["cara"])
    cara.fill(password=PASSWORD)
    cara.press("Join")
    cara.open(ASSIGNMENT)
    cara.page.get_by_label("Your files").set_input_files(python_file(coursework.CARELESS))
    cara.press("Check first")
    expect(cara.page.locator("#precheck")).to_contain_text("every function is there")
    cara.press("Hand in")
    stage.submissions["cara"] = submission_path(cara.page)
    expect(cara.page.locator(".masthead")).to_contain_text("7 of 7", timeout=GRADED_MS)


def the_same_mistake(stage: Stage) -> None:
    """Ben and Dora choose files with the same fault from their disks."""
    for login in ("ben", "dora"):
        person = stage.people[login]
        person.open(ASSIGNMENT)
        person.page.get_by_label("Your files").set_input_files(python_file(coursework.FAULTY))
        expect(person.page.locator("#precheck")).to_contain_text("every function is there")
        person.press("Hand in")
        stage.submissions[login] = submission_path(person.page)
        watch_grading(person.page)


def a_request(stage: Stage) -> None:
    """Ben, who has read his report, asks for a regrade."""
    ben = stage.people["ben"]
    ben.open(stage.submissions["ben"])
    ben.follow("Ask for a regrade")
    ben.page.get_by_label("What it is about").select_option("centre.jit.it_can_be_traced")
    ben.fill(text="It works when I call it without jit.\n<script>alert('hello')</script>")
    ben.press("Send to course staff")
    expect(ben.page.locator("main")).to_contain_text("waiting for an answer")
