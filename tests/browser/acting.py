"""What people do in several chapters of the story."""

from __future__ import annotations

from playwright.sync_api import FilePayload, Page, expect

from tests.browser import coursework
from tests.browser.people import GRADED_MS, Person
from tests.browser.stage import Stage

COURSE = "/courses/jax-2027"
ASSIGNMENT = f"{COURSE}/assignments/{coursework.SLUG}"
_MOST_TRIES = 30


def publish(ines: Person, data: bytes) -> None:
    """Upload an assignment and wait until its gate is open."""
    ines.open(f"{COURSE}/publish")
    ines.page.get_by_label("Folder as a zip").set_input_files(
        {"name": "centred-rows.zip", "mimeType": "application/zip", "buffer": data}
    )
    ines.press("Upload and run the gate")
    expect(ines.page.locator("#gate")).to_contain_text("The gate is open", timeout=GRADED_MS)


def python_file(text: str) -> FilePayload:
    """A student's file, as a picker takes it from a disk."""
    return {"name": coursework.ENTRY, "mimeType": "text/x-python", "buffer": text.encode()}


def drop(page: Page, name: str, text: str) -> None:
    """Drop a file on the page, as from a folder of the desktop."""
    transfer = page.evaluate_handle(
        """([name, text]) => {
            const transfer = new DataTransfer();
            transfer.items.add(new File([text], name, { type: "text/x-python" }));
            return transfer;
        }""",
        [name, text],
    )
    page.dispatch_event("[data-drop]", "drop", {"dataTransfer": transfer})


def submission_path(page: Page) -> str:
    """Where a submission is that was just handed in."""
    path = page.url.partition("/submissions/")[2].partition("?")[0]
    assert path, page.url
    return f"/submissions/{path}"


def watch_grading(page: Page) -> None:
    """Stay on the page until it has become the report by itself."""
    expect(page.locator("#counts")).to_be_visible(timeout=GRADED_MS)


def send_by_keys(person: Person) -> None:
    """From the field that has the focus, go on to the button of its form and press it."""
    keys = person.page.keyboard
    for _ in range(5):
        keys.press("Tab")
        if person.page.evaluate("document.activeElement.type === 'submit'"):
            break
    with person.page.expect_navigation(wait_until="load"):
        keys.press("Enter")


def choose_check(page: Page) -> None:
    """In the form that adjusts points, pick the check that failed."""
    page.locator("#f-check").select_option("centre.jit.it_can_be_traced")


def adjust(person: Person, *, points: str, reason: str) -> None:
    """Set the points of the check that failed."""
    choose_check(person.page)
    person.page.locator("#f-points").fill(points)
    person.page.locator("#f-reason").fill(reason)
    person.press("Change the points")


def points_in(stage: Stage) -> dict[str, str]:
    """The gradebook as Ines reads it: the total of each student."""
    ines = stage.people["ines"]
    ines.open(f"{COURSE}/gradebook")
    rows = [row.locator("td").all_inner_texts() for row in ines.page.locator(".grades tbody tr").all()]
    return {cells[0]: cells[2].split()[0] if cells[2].strip() else "" for cells in rows}


def log_in_until_it_pauses(page: Page, *, name: str) -> None:
    """Try wrong passwords on the log-in page until it takes no more for a while."""
    pause = page.get_by_text("too many tries")
    if not page.url.endswith("/login"):
        page.goto("/login")
    for _ in range(_MOST_TRIES):
        page.locator("[name=name]").fill(name)
        page.locator("[name=password]").fill("not the password")
        with page.expect_navigation(wait_until="load"):
            page.get_by_role("button", name="Log in", exact=True).click()
        if pause.is_visible():
            return
    expect(pause).to_be_visible()
