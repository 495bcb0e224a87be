"""Ines publishes a new version, regrades by a plan, and exports."""

from __future__ import annotations

import csv

from playwright.sync_api import expect

from tests.browser import coursework
from tests.browser.acting import ASSIGNMENT, COURSE, points_in, publish, submission_path
from tests.browser.people import GRADED_MS
from tests.browser.stage import Stage


def a_new_version(stage: Stage) -> None:
    """Ines publishes a version that gives more weight to one check; what is graded keeps its points."""
    ines = stage.people["ines"]
    publish(ines, coursework.archive(coursework.folder(version=2)))
    expect(ines.page.locator("#gate")).to_contain_text("version 2")
    ines.open(f"{ASSIGNMENT}/versions")
    expect(ines.page.locator("main")).to_contain_text("rubric/test_centred_rows.py")
    assert points_in(stage) == {"ada": "8", "ben": "7", "cara": "7", "dora": "5"}


def a_regrade(stage: Stage) -> None:
    """Ines plans a regrade, looks at who changes and why, applies it, undoes it, and applies it again."""
    ines = stage.people["ines"]
    ines.open(f"{ASSIGNMENT}/regrades")
    ines.fill(reason="Rows of equal numbers were worth too little.")
    ines.press("Grade them again, beside what counts")
    stage.plan = ines.page.url.removeprefix(stage.server.url)
    for _ in range(GRADED_MS // 2_000):
        if ines.page.get_by_role("button", name="Apply to all").count():
            break
        ines.page.wait_for_timeout(2_000)
        ines.open(stage.plan)
    expect(ines.page.locator("main")).to_contain_text("3 students would have more points, 0 fewer")
    row = ines.page.get_by_role("row").filter(has_text="Ada Lovelace")
    expect(row).to_contain_text("worth other points now")
    assert points_in(stage)["ada"] == "8"
    for button, ada in (("Apply to all", "9"), ("Undo", "8"), ("Apply to all", "9")):
        ines.open(stage.plan)
        ines.press(button)
        assert points_in(stage)["ada"] == ada
    assert points_in(stage) == {"ada": "9", "ben": "8", "cara": "7", "dora": "6"}


def exports(stage: Stage) -> None:
    """Ines downloads the gradebook, whose figures are those of the pages."""
    ines = stage.people["ines"]
    ines.open(f"{COURSE}/exports")
    with ines.page.expect_download() as download:
        ines.page.get_by_role("link", name="Gradebook", exact=True).last.click()
    path = stage.server.home / "gradebook.csv"
    download.value.save_as(path)
    text = path.read_text("utf-8-sig")
    points = {row["Login"]: row["Total (of 9)"] for row in csv.DictReader(text.splitlines())}
    assert points == {"ada": "9", "ben": "8", "cara": "7", "dora": "6"}, points


def grades_are_released(stage: Stage) -> None:
    """Ines releases the grades, and Cara reads of the check that was hidden, which she did not pass."""
    ines, cara = stage.people["ines"], stage.people["cara"]
    cara.open(stage.submissions["cara"])
    expect(cara.page.locator("main")).not_to_contain_text("A row of equal numbers becomes zeros")
    ines.open(f"{ASSIGNMENT}/edit")
    ines.press("Release the grades")
    expect(ines.page.get_by_role("status")).to_contain_text("The grades are released")
    cara.open(stage.submissions["cara"])
    expect(cara.page.locator(".masthead")).to_contain_text("7 of 9")
    expect(cara.page.locator("main")).to_contain_text("A row of equal numbers becomes zeros")


def a_wait(stage: Stage) -> None:
    """While the worker does nothing, Ada hands in once more, and reads that she waits, and for what."""
    ada = stage.people["ada"]
    stage.server.pause_worker()
    ada.open(ASSIGNMENT)
    ada.page.get_by_label("Or paste your code").fill(coursework.SOLUTION)
    ada.press("Hand in")
    stage.submissions["ada, waiting"] = submission_path(ada.page)
    expect(ada.page.get_by_role("status").last).to_contain_text("Nobody ahead of this one")
    ada.open(f"{stage.submissions['ada, waiting']}/receipt")
    expect(ada.page.locator("main")).to_contain_text("SHA-256")
