"""What belongs to another student, another course, or nobody yet."""

from __future__ import annotations

import logging
import statistics
import time
from collections.abc import Callable
from uuid import uuid4

import pytest
from httpx import Response
from sqlalchemy import select

from grader.db import models
from grader.domain.people import Role
from grader.services.people import enrol
from grader.services.publishing import publish
from tests.courses import SOLUTION, rubric, write_assignment
from tests.scene import OTHER_COURSE, Scene, Standing
from tests.students import AFTER_DUE, AFTER_RELEASE, PRINTED, SEALED, SEED, graded, marker, schedule
from tests.web import PASSWORD, Browser, WebWorld

ROUNDS = 25
ALIKE = 2.5
"""How many times longer one answer may take than another before they count as told apart; generous, for
machines are busy. A look-up that ran only for what exists would show as far more."""

REPORT_PARTS = ("", "/report", "/receipt", "/files/0", "/results.json", "/review", "/progress", "/requests")


def without_ids(answer: Response, *ids: object) -> tuple[int, str]:
    """An answer without the request's number and the ids asked for."""
    text = answer.text.replace(answer.headers["x-request-id"], "…")
    for value in ids:
        text = text.replace(str(value), "…")
    return answer.status_code, text


def alike(first: Callable[[], object], second: Callable[[], object]) -> bool:
    """Whether two questions take about equally long, asked in turns."""
    took: tuple[list[float], list[float]] = ([], [])
    for _ in range(ROUNDS):
        for question, times in zip((first, second), took, strict=True):
            begun = time.perf_counter()
            question()
            times.append(time.perf_counter() - begun)
    one, other = (statistics.median(times) for times in took)
    return max(one, other) / min(one, other) < ALIKE


def test_g9_idor_read_submission_another_students_work_is_as_if_it_were_not_there(
    stage: Scene, caplog: pytest.LogCaptureFixture
) -> None:
    ben, nowhere = stage.script(Standing.OTHER), uuid4()
    with caplog.at_level(logging.INFO):
        for prefix in ("/api/v1/submissions", "/submissions"):
            client = ben if prefix.startswith("/api") else stage.browser(Standing.OTHER)
            hers, missing = (client.get(f"{prefix}/{one}") for one in (stage.mine, nowhere))
            assert hers.status_code == 404
            assert without_ids(hers, stage.mine) == without_ids(missing, nowhere)
            for guess in ("1", "0", "submission.py", "..%2f..%2fetc%2fpasswd", "ada", str(stage.mine)[:-1]):
                assert client.get(f"{prefix}/{guess}").status_code == 404
    assert [record for record in caplog.records if record.levelno >= logging.WARNING] == []
    assert alike(
        lambda: ben.get(f"/api/v1/submissions/{stage.mine}"),
        lambda: ben.get(f"/api/v1/submissions/{nowhere}"),
    )


def test_g9_idor_read_submission_the_beginning_of_an_id_finds_ones_own_work_alone(stage: Scene) -> None:
    start = {"start": stage.mine.hex[:8]}
    for standing, found in (
        (Standing.OWNER, [str(stage.mine)]),
        (Standing.TA, [str(stage.mine)]),
        (Standing.OTHER, []),
        (Standing.OUTSIDER, []),
    ):
        assert stage.script(standing).get("/api/v1/submissions", params=start).json() == found
    dropped = stage.script(Standing.DROPPED).get("/api/v1/submissions", params={"start": stage.doras.hex[:8]})
    assert dropped.json() == []


@pytest.mark.parametrize("part", REPORT_PARTS)
def test_g9_idor_read_report_no_part_of_a_report_opens_for_another_student(stage: Scene, part: str) -> None:
    assert stage.script(Standing.OTHER).get(f"/api/v1/submissions/{stage.mine}{part}").status_code == 404
    assert stage.script(Standing.OWNER).get(f"/api/v1/submissions/{stage.mine}").status_code == 200


@pytest.mark.parametrize("part", ["", "/report.html", "/receipt", "/receipt.json", "/files/0", "/progress"])
def test_g9_idor_read_report_a_pages_links_are_worth_nothing_to_others(stage: Scene, part: str) -> None:
    """No link is signed: each is asked who follows it."""
    link = f"/submissions/{stage.mine}{part}"
    assert stage.browser(Standing.OTHER).get(link).status_code == 404
    assert stage.browser(Standing.ANONYMOUS).get(link).headers["location"].startswith("/login")


def test_g9_idor_read_report_a_difference_needs_both_submissions_to_be_ones_own(stage: Scene) -> None:
    ben = stage.script(Standing.OTHER)
    for one, other in ((stage.bens, stage.mine), (stage.mine, stage.bens)):
        assert ben.get(f"/api/v1/submissions/{one}/diff/{other}").status_code == 404


@pytest.mark.parametrize(
    "method, path, body",
    [
        ("PUT", "assignments/doubling/schedule", {"version": 1}),
        ("POST", "assignments/doubling/release", {"version": 1}),
        ("PUT", "settings", {"version": 1, "title": "Mine", "timezone": "UTC", "grace_days": 0}),
        ("PUT", "members/ada", {"version": 1, "role": "instructor"}),
        ("DELETE", "members/ada", None),
        ("POST", "assignments/doubling/regrades", {"reason": "So."}),
        ("GET", "gradebook", None),
        ("GET", "members", None),
    ],
)
def test_g9_idor_course_an_instructor_of_another_course_is_nobody_here(
    stage: Scene, method: str, path: str, body: object
) -> None:
    olga = stage.script(Standing.OUTSIDER)
    answer = olga.request(method, f"/api/v1/courses/jax/{path}", json=body)
    missing = olga.request(method, f"/api/v1/courses/none/{path}", json=body)
    assert answer.status_code == 404
    assert without_ids(answer, "jax") == without_ids(missing, "none")


@pytest.mark.parametrize(
    "path", ["exports/gradebook", "exports/canvas", "exports/moodle", "archive", "gradebook"]
)
def test_g9_export_other_course_grades_leave_only_for_who_teaches(stage: Scene, path: str) -> None:
    olga = stage.script(Standing.OUTSIDER)
    assert olga.get(f"/api/v1/courses/jax/{path}").status_code == 404
    assert olga.get(f"/api/v1/courses/{OTHER_COURSE}/{path}").status_code == 200


def test_g9_ta_scope_a_ta_changes_no_rubric_and_no_grade_of_their_own_elsewhere(stage: Scene) -> None:
    world, tom = stage.world, stage.script(Standing.TA)
    assert (
        tom.put("/api/v1/courses/jax/assignments/doubling/schedule", json={"version": 1}).status_code == 403
    )
    assert tom.post("/api/v1/courses/jax/publications", files={"file": b"x"}).status_code == 403
    with world.database.reading() as session:
        other = session.scalars(select(models.Course.id).where(models.Course.slug == OTHER_COURSE)).one()
    enrol(world.database, course_id=other, user_id=world.people["tom"].user_id, role=Role.STUDENT)
    assignment = write_assignment(world.course.folder.parent / "elsewhere")
    publish(world.database, course_id=other, assignment=assignment, rubric=rubric())
    path = f"/api/v1/courses/{OTHER_COURSE}/assignments/doubling"
    made = tom.post(f"{path}/submissions", json={"files": [{"name": "a.py", "text": SOLUTION.decode()}]})
    own = made.json()["id"]
    change = {"points": "5", "reason": "I deserve it.", "version": 1}
    assert tom.post(f"/api/v1/submissions/{own}/adjustments", json=change).status_code == 403
    assert tom.get(f"/api/v1/submissions/{own}/review").status_code == 404
    assert tom.get(f"/api/v1/courses/{OTHER_COURSE}/gradebook").status_code == 403


def test_g9_hidden_fields_leak_ones_own_report_tells_nothing_of_hidden_checks(stage: Scene) -> None:
    schedule(stage.world.course, due_at=None, released_at=None)
    browser, script = stage.browser(Standing.OWNER), stage.script(Standing.OWNER)
    answers = [
        *(browser.get(f"/submissions/{stage.mine}{part}") for part in ("", "/report.html", "/request")),
        *(script.get(f"/api/v1/submissions/{stage.mine}{part}") for part in REPORT_PARTS),
        script.post(
            f"/api/v1/submissions/{stage.mine}/requests", json={"text": "x", "check_id": SEALED[:-1]}
        ),
        browser.get("/courses/jax/assignments/doubling"),
        browser.get("/courses/jax/assignments/doubling/starter"),
    ]
    secrets = [marker(check) for check in (AFTER_DUE, AFTER_RELEASE)] + [SEED, PRINTED, SEALED]
    for answer in answers:
        said = answer.content + repr(sorted(answer.headers.items())).encode()
        assert [word for word in secrets if word.encode() in said] == [], answer.url
        assert "etag" not in answer.headers  # a hash of what is hidden would tell when it changes


def test_g9_unpublished_assignment_a_draft_does_not_exist_for_students(world: WebWorld) -> None:
    schedule(world.course, draft=True)
    browser, script = world.browser("ada"), world.script("ada")
    assert "Doubling" not in browser.get("/courses/jax").text
    assert "oubling" not in script.get("/api/v1/courses/jax").text
    files = {"files": [{"name": "a.py", "text": SOLUTION.decode()}]}
    for method, path, body in (
        ("GET", "", None),
        ("GET", "/starter", None),
        ("GET", "/submissions", None),
        ("POST", "/check", files),
        ("POST", "/submissions", files),
    ):
        draft, missing = (
            script.request(method, f"/api/v1/courses/jax/assignments/{slug}{path}", json=body)
            for slug in ("doubling", "nothing")
        )
        assert draft.status_code == 404
        assert without_ids(draft, "doubling") == without_ids(missing, "nothing")
    assert browser.get("/courses/jax/assignments/doubling").status_code == 404
    assert world.browser("ines").get("/courses/jax/assignments/doubling").status_code == 200


def test_g9_stale_session_after_drop_whoever_leaves_is_out_at_the_next_request(world: WebWorld) -> None:
    receipt = graded(world.course, user_id=world.people["ada"].user_id)
    ada, script = world.browser("ada"), world.script("ada")
    page, own = "/courses/jax", f"/api/v1/submissions/{receipt.submission_id}"
    assert (ada.get(page).status_code, script.get(own).status_code) == (200, 200)
    world.script("ines").delete("/api/v1/courses/jax/members/ada")
    assert (ada.get(page).status_code, script.get(own).status_code) == (404, 404)
    assert script.get("/api/v1/courses").json() == []


def test_g9_enumeration_no_answer_tells_who_is_there(world: WebWorld) -> None:
    told = []
    for name in ("ada", "ada-who-is-not-there"):
        browser = world.visitor()
        browser.open("/login")
        answer = browser.send_form("/login", {"name": name, "password": "wrong"})
        text = answer.text.replace(f'value="{name}"', "").replace(answer.headers["x-request-id"], "")
        told.append((answer.status_code, without_token(text)))
    assert told[0] == told[1]
    assert world.visitor().get(f"/join/{'A' * 43}").status_code == 404


def test_g9_enumeration_a_wrong_password_takes_as_long_for_a_name_nobody_has(world: WebWorld) -> None:
    script = world.visitor()
    took: dict[str, list[float]] = {"ada": [], "nobody": []}
    for _ in range(8):
        for name, times in took.items():
            wanted = {"login": name, "password": "wrong", "name": "x", "days": 1}
            begun = time.perf_counter()
            assert script.post("/api/v1/tokens", json=wanted).status_code == 401
            times.append(time.perf_counter() - begun)
    known, unknown = (statistics.median(times) for times in took.values())
    assert max(known, unknown) / min(known, unknown) < ALIKE


def without_token(html: str) -> str:
    """A page without the form's own token."""
    return "\n".join(line for line in html.splitlines() if "csrf" not in line)


def test_the_right_password_is_told_from_a_wrong_one(world: WebWorld) -> None:
    """The tests above could not fail if nobody ever got in."""
    browser: Browser = world.visitor()
    browser.open("/login")
    assert browser.send_form("/login", {"name": "ada", "password": PASSWORD}).status_code == 303
