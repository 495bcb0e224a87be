"""Instructors' pages: each is readable by whom it is for, works without a script, and shows what was done."""

from __future__ import annotations

import re
from fractions import Fraction
from pathlib import Path
from uuid import UUID

import pytest
from sqlalchemy import select, update

from grader.db import models
from grader.domain.reviewing import AdjustmentKind
from grader.domain.verdicts import Verdict
from grader.services.policy import QueuePolicy
from grader.services.publication.running import run
from tests.courses import write_assignment
from tests.engines import TextEngine
from tests.students import a_result, grade, publish_hidden
from tests.unit.services.test_publication import by_what_is_written, zipped
from tests.web import Browser, Page, WebWorld

COURSE = "/courses/jax"
DOUBLING = f"{COURSE}/assignments/doubling"
FAILED = {"verdict": Verdict.FAILED, "code": "values.differ"}
HOSTILE = "<script>alert(1)</script>\x1b[31m\u202e=1+1"


@pytest.fixture
def ines(world: WebWorld) -> Browser:
    return world.browser("ines")


def read(client: Browser, path: str) -> Page:
    answer = client.get(path)
    assert answer.status_code == 200, f"{path}: {answer.status_code} {Page(answer.text).text[:300]}"
    found = Page(answer.text)
    assert len(found.all("h1")) == 1
    assert not any("style" in attributes for _, attributes in found.elements)
    return found


def hidden(html: str, name: str) -> str:
    match = re.search(rf'name="{name}" value="([^"]*)"', html)
    assert match, f"no hidden field {name}"
    return match.group(1)


def done(client: Browser, path: str, data: dict[str, object] | None = None, **options: object) -> Page:
    """Send a form and read the page that it leads to."""
    answer = client.send_form(path, data, follow_redirects=True, **options)
    assert answer.status_code == 200, f"{answer.status_code} {Page(answer.text).text[:500]}"
    return Page(answer.text)


def test_a_course_is_made_and_is_the_first_thing_its_instructor_sees(ines: Browser) -> None:
    read(ines, "/courses/new")
    form = {"title": "JAX 2", "slug": "jax-2", "timezone": "Europe/Zurich"}
    assert "Next, publish an assignment" in done(ines, "/courses/new", form).text
    again = ines.send_form("/courses/new", form)
    assert again.status_code == 409
    assert 'value="jax-2"' in again.text


def test_settings_that_somebody_else_changed_are_shown_instead_of_overwritten(ines: Browser) -> None:
    form = {"seen": "1", "title": "First", "timezone": "UTC", "grace_days": "2"}
    assert "settings are saved" in done(ines, f"{COURSE}/settings", form).text
    late = ines.send_form(f"{COURSE}/settings", {**form, "title": "Second"})
    assert late.status_code == 409
    assert 'value="First"' in late.text


def test_a_roster_is_shown_before_it_is_imported(ines: Browser) -> None:
    files = {"file": ("roster.csv", b"login,name\nada,Ada\ncarl,Carl\nx y,Nobody\n")}
    shown = ines.send_form(f"{COURSE}/roster/preview", files=files)
    text = Page(shown.text).text
    assert "1 new, 0 changed, 1 unchanged, 1 with problems" in text
    assert "Carl" not in read(ines, f"{COURSE}/roster").text
    fields = {name: hidden(shown.text, name) for name in ("packed", "fingerprint")}
    assert "1 added" in done(ines, f"{COURSE}/roster/import", fields).text
    assert "Carl" in read(ines, f"{COURSE}/roster").text
    assert ines.send_form(f"{COURSE}/roster/import", fields).status_code == 409


@pytest.mark.parametrize("packed", ["", "####", "aGVsbG8="])
def test_a_file_that_comes_back_damaged_is_refused(ines: Browser, packed: str) -> None:
    form = {"packed": packed, "fingerprint": "0"}
    assert ines.send_form(f"{COURSE}/roster/import", form).status_code == 422


def test_links_are_made_shown_once_and_taken_back(ines: Browser) -> None:
    made = done(ines, f"{COURSE}/roster/invite", {"role": "ta", "days": "3"})
    assert "/join/" in made.text
    page = ines.get(f"{COURSE}/roster").text
    assert "/join/" not in page
    [path] = re.findall(r'action="([^"]*/invitations/[^"]*/revoke)"', page)
    assert "no longer works" in done(ines, path).text


def test_a_member_is_changed_and_removed(ines: Browser) -> None:
    read(ines, f"{COURSE}/roster/members/ada")
    form = {"role": "student", "section": "Monday", "extra_days": "2", "student_number": "17", "seen": "1"}
    assert "Monday" in done(ines, f"{COURSE}/roster/members/ada", form).text
    own = ines.send_form(f"{COURSE}/roster/members/ines", {**form, "role": "student"})
    assert own.status_code == 403
    assert "no longer in this course" in done(ines, f"{COURSE}/roster/members/ada/remove").text


def seen_on(html: str) -> str | None:
    """The version that a page's form carries."""
    return next(field.get("value") for field in Page(html).all("input") if field.get("name") == "seen")


def test_of_two_who_have_a_member_open_the_second_is_told_and_sees_what_holds(ines: Browser) -> None:
    address = f"{COURSE}/roster/members/ada"
    form = {"role": "student", "seen": seen_on(ines.get(address).text)}
    done(ines, address, {**form, "section": "Monday"})
    late = ines.send_form(address, {**form, "section": "Friday"})
    assert late.status_code == 409
    assert "was changed since you opened it" in Page(late.text).text
    assert 'value="Monday"' in late.text
    again = {**form, "seen": seen_on(late.text), "section": "Friday"}
    assert "Friday" in done(ines, address, again).text


def test_a_mistake_does_not_make_an_old_page_a_new_one(ines: Browser) -> None:
    address = f"{COURSE}/roster/members/ada"
    form = {"role": "student", "seen": seen_on(ines.get(address).text)}
    done(ines, address, {**form, "section": "Monday"})
    mistaken = ines.send_form(address, {**form, "section": "Friday", "extra_days": "many"})
    assert mistaken.status_code == 422
    mended = {**form, "seen": seen_on(mistaken.text), "section": "Friday"}
    assert ines.send_form(address, mended).status_code == 409


def test_names_are_hidden_by_a_tick_and_shown_again_without_it(ines: Browser) -> None:
    address = f"{COURSE}/settings"
    form = {"title": "JAX", "timezone": "UTC", "grace_days": "0"}

    def save(**ticks: str) -> bool:
        """Save the form, and tell whether the names are hidden then."""
        page = done(ines, address, {**form, **ticks, "seen": seen_on(ines.get(address).text)})
        return any("checked" in box for box in page.all("input") if box.get("name") == "names_hidden")

    assert save(names_hidden="yes")
    assert not save()


def test_a_mistake_in_the_settings_does_not_make_an_old_page_a_new_one(ines: Browser) -> None:
    address = f"{COURSE}/settings"
    form = {"timezone": "UTC", "grace_days": "0", "seen": seen_on(ines.get(address).text)}
    done(ines, address, {**form, "title": "Mine"})
    mistaken = ines.send_form(address, {**form, "title": ""})
    assert mistaken.status_code == 422
    mended = {**form, "title": "Yours", "seen": seen_on(mistaken.text)}
    assert ines.send_form(address, mended).status_code == 409


def test_a_mistake_in_the_dates_does_not_make_an_old_page_a_new_one(ines: Browser) -> None:
    address = f"{DOUBLING}/edit"
    form = {"late_rule": "nothing", "counting": "best", "seen": seen_on(ines.get(address).text)}
    done(ines, address, {**form, "counting": "last"})
    mistaken = ines.send_form(address, {**form, "submission_limit": "many"})
    assert mistaken.status_code == 422
    mended = {**form, "seen": seen_on(mistaken.text)}
    assert ines.send_form(address, mended).status_code == 409


MARGIN = {
    "check": "half.speed.it_halves",
    "asks_for": 1.5,
    "solution": {"ratio": 2.5, "low": 2.25, "high": 2.75, "pairs": 9},
    "highest_with_room": None,
    "holds": True,
}
"""A speed check as the gate's report tells of it."""


def schedule(seen: int = 1, **changes: str) -> dict[str, object]:
    form = {
        "seen": str(seen),
        "due": "2027-03-01T23:59",
        "closes": "2027-03-04T23:59",
        "late_rule": "per_day",
        "per_day": "12,5",
        "counting": "best",
    }
    return {**form, **changes}


def test_dates_are_typed_on_the_courses_clock_and_read_back_as_typed(world: WebWorld, ines: Browser) -> None:
    with world.database.writing() as session:
        session.execute(update(models.Course).values(timezone="Europe/Zurich"))
    assert "are saved" in done(ines, f"{DOUBLING}/edit", schedule()).text
    html = ines.get(f"{DOUBLING}/edit").text
    assert 'value="2027-03-01T23:59"' in html
    assert 'value="12.5"' in html
    with world.database.reading() as session:
        row = session.scalars(select(models.AssignmentSchedule)).one()
    assert (row.due_at.isoformat(), row.per_day) == ("2027-03-01T22:59:00+00:00", Fraction(1, 8))


@pytest.mark.parametrize(
    "due, says",
    [("2027-03-28T02:30", "does not exist"), ("2027-10-31T02:30", "comes twice")],
)
def test_a_time_that_a_clock_skips_or_repeats_is_explained(
    world: WebWorld, ines: Browser, due: str, says: str
) -> None:
    with world.database.writing() as session:
        session.execute(update(models.Course).values(timezone="Europe/Zurich"))
    assert says in done(ines, f"{DOUBLING}/edit", schedule(due=due, closes="")).text


@pytest.mark.parametrize(
    "changes",
    [
        {"due": "soon"},
        {"closes": "2027-02-01T00:00"},
        {"per_day": "lots"},
        {"submission_limit": "-3"},
        {"cooldown_min": "1e9"},
    ],
)
def test_what_cannot_be_set_is_said_and_what_was_typed_stays(ines: Browser, changes: dict[str, str]) -> None:
    answer = ines.send_form(f"{DOUBLING}/edit", schedule(**changes))
    assert answer.status_code == 422
    assert 'value="2027-03-04T23:59"' in answer.text or "closes" in changes


def test_a_share_without_its_rule_is_refused_at_its_field_and_not_dropped(ines: Browser) -> None:
    answer = ines.send_form(f"{DOUBLING}/edit", schedule(late_rule="nothing", per_day="10"))
    assert answer.status_code == 422
    at_the_field = answer.text.partition('id="f-per_day-error"')[2].partition("</p>")[0]
    assert "late work loses no points" in at_the_field
    assert 'value="10"' in answer.text


def test_grades_are_released_and_taken_back(ines: Browser) -> None:
    assert "The grades are released" in done(ines, f"{DOUBLING}/edit/release", {"seen": "1"}).text
    assert "no longer released" in done(ines, f"{DOUBLING}/edit/take-back", {"seen": "2"}).text
    assert ines.send_form(f"{DOUBLING}/edit/take-back", {"seen": "3"}).status_code == 409


def test_an_extension_is_granted_and_shown_in_the_students_ledger(world: WebWorld, ines: Browser) -> None:
    done(ines, f"{DOUBLING}/edit", schedule())
    form = {"login": "ada", "due": "2027-03-02T23:59", "reason": "Ill."}
    assert "ada has more time" in done(ines, f"{DOUBLING}/edit/extensions", form).text
    world.graded("ada")
    record = read(ines, f"{COURSE}/students/ada").text
    assert "Extension by Ines until Tue 2 Mar 2027, 23:59 UTC, because: Ill." in record
    nobody = ines.send_form(f"{DOUBLING}/edit/extensions", {**form, "login": "nobody"})
    assert nobody.status_code == 404
    assert 'value="nobody"' in nobody.text
    html = ines.get(f"{DOUBLING}/edit").text
    [path] = re.findall(r'action="([^"]*/extensions/[^"]*/revoke)"', html)
    assert "taken back" in done(ines, path).text


def test_a_new_course_says_how_to_begin_until_something_is_on_its_way(ines: Browser, tmp_path: Path) -> None:
    done(ines, "/courses/new", {"title": "JAX 2", "slug": "jax-2", "timezone": "UTC"})
    assert "No assignment is published yet. Upload the first" in read(ines, "/courses/jax-2").text
    folder = write_assignment(tmp_path / "upload").root
    ines.send_form("/courses/jax-2/publish", files={"file": ("hw.zip", zipped(folder))})
    begun = read(ines, "/courses/jax-2").text
    assert "is not published yet" in begun
    assert "No assignment is published" not in begun


def test_a_folder_is_uploaded_followed_and_compared(world: WebWorld, ines: Browser, tmp_path: Path) -> None:
    folder = write_assignment(tmp_path / "upload", lesson="More.\n").root
    read(ines, f"{COURSE}/publish")
    files = {"file": ("hw.zip", zipped(folder))}
    answer = ines.send_form(f"{COURSE}/publish", files=files)
    where = answer.headers["location"]
    assert "It waits for a worker" in read(ines, where).text
    assert "Doubling is not published yet" in read(ines, COURSE).text
    assert "not published yet" not in read(world.browser("ada"), COURSE).text
    part = ines.get(where, headers={"hx-request": "true"}).text
    assert part.lstrip().startswith('<div id="gate"')
    run(
        UUID(where.rpartition("/")[2]),
        database=world.database,
        engine=TextEngine(by_what_is_written),
        policy=QueuePolicy(),
    )
    assert "The gate is open" in read(ines, where).text
    assert "changed: lesson.md" in read(ines, f"{DOUBLING}/versions").text
    assert "More." in read(ines, f"{DOUBLING}/versions/2").text


def test_a_gate_tells_that_it_made_a_draft_and_how_much_room_speed_has(
    world: WebWorld, ines: Browser, tmp_path: Path
) -> None:
    folder = write_assignment(tmp_path / "upload").root
    manifest = (folder / "assignment.toml").read_text()
    (folder / "assignment.toml").write_text(manifest.replace('"doubling"', '"tripling"', 1))
    files = {"file": ("hw.zip", zipped(folder))}
    where = ines.send_form(f"{COURSE}/publish", {"as_draft": "yes"}, files=files).headers["location"]
    publication_id = UUID(where.rpartition("/")[2])
    engine = TextEngine(by_what_is_written)
    run(publication_id, database=world.database, engine=engine, policy=QueuePolicy())
    with world.database.writing() as session:
        row = session.get_one(models.Publication, publication_id)
        row.gate = {**(row.gate or {}), "speed": [MARGIN]}
    shown = read(ines, where).text
    assert "published as a draft" in shown
    assert "Room of the speed checks" in shown
    assert "2.5 (2.25 to 2.75)" in shown
    assert "published as a draft" in read(ines, f"{COURSE}/publish").text


def test_a_folder_that_is_refused_says_what_is_wrong(ines: Browser, world: WebWorld, tmp_path: Path) -> None:
    nothing = ines.send_form(f"{COURSE}/publish")
    assert nothing.status_code == 422
    folder = write_assignment(tmp_path / "upload", lesson="More.\n").root
    where = ines.send_form(f"{COURSE}/publish", files={"file": ("hw.zip", zipped(folder))}).headers[
        "location"
    ]
    engine = TextEngine()
    run(UUID(where.rpartition("/")[2]), database=world.database, engine=engine, policy=QueuePolicy())
    assert "earns 5; the manifest declares 0" in read(ines, where).text


def test_a_regrade_is_planned_read_applied_and_undone(world: WebWorld, ines: Browser) -> None:
    world.graded("ada", world.result(half_values_it_halves=FAILED))
    form = {"reason": "The tolerance.", "which": "counting", "check_id": "", "version": ""}
    page = done(ines, f"{DOUBLING}/regrades", form)
    assert "0 of 1 attempt ended" in page.text
    with world.database.reading() as session:
        item = session.scalars(select(models.RegradeItem)).one()
    world.grade(item.attempt_id)
    where = f"{DOUBLING}/regrades/{item.plan_id}"
    shown = read(ines, where).text
    assert "1 student would have more points" in shown
    assert "+2" in shown
    assert "The plan is applied" in done(ines, f"{where}/apply", {"seen": "1"}).text
    assert ines.send_form(f"{where}/apply", {"seen": "1"}).status_code == 409
    assert "is undone" in done(ines, f"{where}/undo", {"seen": "2"}).text
    assert "is discarded" in done(ines, f"{where}/discard", {"seen": "3"}).text
    assert (
        "nothing to grade again"
        in ines.send_form(
            f"{DOUBLING}/regrades", {**form, "check_id": "half.values.it_halves", "verdicts": "timed_out"}
        ).text
    )


def test_a_plan_shows_that_the_points_possible_change(world: WebWorld, ines: Browser) -> None:
    world.graded("ada")
    publish_hidden(world.course)
    assert "version 2, 14 points" in read(ines, f"{DOUBLING}/regrades").text
    done(ines, f"{DOUBLING}/regrades", {"reason": "A check more.", "which": "counting"})
    with world.database.reading() as session:
        item = session.scalars(select(models.RegradeItem)).one()
    where = f"{DOUBLING}/regrades/{item.plan_id}"
    assert "points possible" not in read(ines, where).text
    grade(world.course, item.attempt_id, a_result())
    shown = read(ines, where).text
    assert "The points possible would change from 5 to 14 for 1 submission" in shown
    assert "5 / 5 14 / 14" in shown
    changes = world.script("ines").get(f"/api/v1{where}").json()
    assert changes["worth"] == [{"before": 5, "after": 14, "submissions": 1}]
    assert [(row["worth_before"], row["worth_after"]) for row in changes["rows"]] == [(5, 14)]


def test_the_gradebook_sorts_filters_and_tells_late_and_adjusted_work(world: WebWorld, ines: Browser) -> None:
    done(
        ines, f"{DOUBLING}/edit", schedule(due="2020-03-01T23:59", closes="", late_rule="nothing", per_day="")
    )
    receipt = world.graded("ada")
    world.graded("ben", world.result(half_values_it_halves=FAILED))
    with world.database.writing() as session:
        change = models.Adjustment(
            submission_id=receipt.submission_id,
            kind=AdjustmentKind.ADD,
            points=Fraction(1),
            reason="A fine idea.",
            created_at=world.database.now(session),
        )
        session.add(change)
    html = ines.get(f"{COURSE}/gradebook?sort=doubling&descending=true").text
    assert html.index(">Ada<") < html.index(">Ben<")
    assert 'aria-sort="descending"' in html
    text = read(ines, f"{COURSE}/gradebook").text
    assert " L " in text
    assert " A " in text
    assert "A fine idea." in read(ines, f"{COURSE}/students/ada").text


def test_the_dashboard_and_results_show_what_goes_wrong(world: WebWorld, ines: Browser) -> None:
    for login in ("ada", "ben"):
        world.graded(login, world.result(half_values_it_halves=FAILED))
    dashboard = read(ines, f"{COURSE}/dashboard").text
    assert "Needs a hand" in dashboard
    assert "Workers that graded within a day" in dashboard
    results = read(ines, f"{DOUBLING}/results")
    assert "2 of 2" in results.text
    assert {"img"} == {svg.get("role") for svg in results.all("svg") if svg.get("role")}


def test_what_stranded_is_started_again_from_the_dashboard(world: WebWorld, ines: Browser) -> None:
    receipt = world.submit("ada")
    world.grade(receipt.attempt_id, world.result(half_values_it_halves={"verdict": Verdict.SKIPPED}))
    assert "submission 1, attempt 1" in read(ines, f"{COURSE}/dashboard").text
    one = {"attempt_id": str(receipt.attempt_id)}
    assert "Queued again: 1" in done(ines, f"{COURSE}/dashboard/requeue", one).text
    assert "needs no second start" in done(ines, f"{COURSE}/dashboard/requeue", one).text
    assert ines.send_form(f"{COURSE}/dashboard/requeue", {"attempt_id": "x"}).status_code == 422


def test_exports_are_downloads_and_say_what_canvas_would_not_match(world: WebWorld, ines: Browser) -> None:
    world.graded("ada")
    read(ines, f"{COURSE}/exports")
    for kind in ("gradebook", "canvas", "moodle", "nbgrader", "archive", "gradescope/doubling"):
        answer = ines.get(f"{COURSE}/exports/{kind}")
        assert answer.status_code == 200
        assert answer.headers["content-disposition"].startswith("attachment")
    export = b"Student,ID,SIS User ID,SIS Login ID,Section\nAda,17,,ada,\nZoe,18,,zoe,\n"
    said = ines.send_form(
        f"{COURSE}/exports/canvas", {"check_only": "yes"}, files={"file": ("c.csv", export)}
    )
    text = Page(said.text).text
    assert "In Canvas's export only, and left out: Zoe" in text
    assert "Canvas will make new assignments: Doubling" in text
    assert ines.get("/account/data").headers["content-type"] == "application/zip"


def test_hostile_names_and_reasons_are_shown_harmless(world: WebWorld, ines: Browser) -> None:
    with world.database.writing() as session:
        session.execute(update(models.User).where(models.User.login == "ada").values(name=HOSTILE))
        session.execute(update(models.Course).values(title=HOSTILE))
        session.execute(update(models.Assignment).values(title=HOSTILE))
    world.graded("ada")
    done(ines, f"{DOUBLING}/edit", schedule())
    done(ines, f"{DOUBLING}/edit/extensions", {"login": "ada", "due": "2027-03-02T23:59", "reason": HOSTILE})
    done(ines, f"{DOUBLING}/regrades", {"reason": HOSTILE})
    for path in PAGES:
        html = ines.get(path).text
        assert "<script>alert" not in html, path
        assert "\x1b" not in html, path
        assert "\u202e" not in html, path
    csv = ines.get(f"{COURSE}/exports/gradebook").text
    assert "\x1b" not in csv
    assert not re.search(r'(^|,)"[=+@-]', csv, re.MULTILINE)


PAGES = (
    f"{COURSE}/settings",
    f"{COURSE}/roster",
    f"{COURSE}/roster/members/ada",
    f"{COURSE}/publish",
    f"{COURSE}/exports",
    f"{DOUBLING}/edit",
    f"{DOUBLING}/versions",
    f"{COURSE}/gradebook",
    f"{COURSE}/students/ada",
    f"{COURSE}/dashboard",
    f"{DOUBLING}/results",
    f"{DOUBLING}/regrades",
)
INSTRUCTORS_ONLY = PAGES[:7]


@pytest.mark.parametrize("path", PAGES)
def test_each_page_is_for_staff_or_instructors_alone(world: WebWorld, path: str) -> None:
    def status(login: str) -> int:
        return world.browser(login).get(path).status_code

    tom = 403 if path in INSTRUCTORS_ONLY else 200
    assert [status(login) for login in ("ada", "sam", "tom", "ines")] == [403, 404, tom, 200]
    assert world.visitor().get(path).status_code == 303
