"""Many at once, and moments that nearly coincide; on PostgreSQL too, where writers run beside each other."""

from __future__ import annotations

import threading
from collections import Counter
from collections.abc import Callable, Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
from httpx import Response
from sqlalchemy import func, select

from grader.db import models
from grader.domain.attempts import AttemptState, RunOutcome
from grader.services import reading
from grader.services.auditing import Action
from grader.services.leases import Lease, claim
from grader.services.policy import QueuePolicy
from grader.services.settling import settle_graded
from tests.courses import SOLUTION
from tests.served import served
from tests.storage import KINDS
from tests.students import a_result, publish_hidden, schedule
from tests.unit.web.test_serving import head, status, talk
from tests.web import WebWorld, web_world

DOUBLING = "/api/v1/courses/jax/assignments/doubling"
BODY: dict[str, Any] = {"files": [{"name": "submission.py", "text": SOLUTION.decode()}]}
CROWD = 50


@pytest.fixture(params=KINDS)
def crowded(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[WebWorld]:
    with web_world(tmp_path, kind=request.param) as world:
        yield world


def at_once(*acts: Callable[[], Response]) -> list[Response]:
    """All of them, started together."""
    barrier = threading.Barrier(len(acts))
    answers: list[Response | None] = [None] * len(acts)

    def run(place: int) -> None:
        barrier.wait()
        answers[place] = acts[place]()

    threads = [threading.Thread(target=run, args=(place,)) for place in range(len(acts))]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return [answer for answer in answers if answer is not None]


def hand_in(world: WebWorld, key: str | None = None) -> Callable[[], Response]:
    client = world.script("ada")
    headers = {} if key is None else {"idempotency-key": key}
    return lambda: client.post(f"{DOUBLING}/submissions", json=BODY, headers=headers)


def stored(world: WebWorld, model: type[Any] = models.Submission) -> int:
    with world.database.reading() as session:
        return session.scalar(select(func.count()).select_from(model)) or 0


# --- the same twice -----------------------------------------------------------------------------------------


def test_g9_double_submit_one_key_is_one_submission(crowded: WebWorld) -> None:
    answers = at_once(*[hand_in(crowded, "the-same")] * 12)
    assert {answer.status_code for answer in answers} == {201}
    assert len({answer.json()["id"] for answer in answers}) == 1
    assert sum(not answer.json()["repeated"] for answer in answers) == 1
    assert (stored(crowded), stored(crowded, models.Attempt)) == (1, 1)


def test_g9_double_submit_without_a_key_each_is_its_own_and_the_limit_holds(crowded: WebWorld) -> None:
    schedule(crowded.course, submission_limit=3)
    answers = at_once(*[hand_in(crowded)] * 12)
    assert Counter(answer.status_code for answer in answers) == {201: 3, 429: 9} or Counter(
        answer.status_code for answer in answers
    ) == {201: 3, 409: 9}
    assert stored(crowded) == 3


def test_g9_double_submit_a_forms_button_pressed_twice_hands_in_once(world: WebWorld) -> None:
    browser = world.browser("ada")
    form = {"key": "from-the-page"}
    path = "/courses/jax/assignments/doubling/submit"
    answers = [browser.send_form(path, form, files={"files": ("submission.py", SOLUTION)}) for _ in range(2)]
    assert len({answer.headers["location"] for answer in answers}) == 1
    assert stored(world) == 1


def test_g9_attempt_limit_race_of_fifty_uploads_for_the_last_one_is_taken(crowded: WebWorld) -> None:
    schedule(crowded.course, submission_limit=1)
    answers = at_once(*[hand_in(crowded)] * CROWD)
    assert Counter(answer.status_code < 300 for answer in answers) == {True: 1, False: CROWD - 1}
    assert all(answer.status_code in (201, 409, 429) for answer in answers)
    assert (stored(crowded), stored(crowded, models.Attempt)) == (1, 1)


# --- deadlines ----------------------------------------------------------------------------------------------


def test_g9_deadline_race_the_end_of_the_upload_by_the_servers_clock_decides(tmp_path: Path) -> None:
    with served(tmp_path) as (world, port):
        token = world.script("ada").headers["authorization"]
        closes = datetime.now(UTC).replace(microsecond=0) + timedelta(seconds=5)
        schedule(world.course, due_at=closes, closes_at=closes)
        part = b'--x\r\ncontent-disposition: form-data; name="files"; filename="a.py"\r\n\r\n'
        body = part + SOLUTION + b"\r\n--x--\r\n"
        request = head(
            port,
            f"POST {DOUBLING}/uploads HTTP/1.1",
            authorization=token,
            content_type="multipart/form-data; boundary=x",
            content_length=str(len(body)),
            # What a client says of the time is its own affair.
            date="Wed, 01 Jan 2020 00:00:00 GMT",
            if_unmodified_since="Wed, 01 Jan 2020 00:00:00 GMT",
        )
        assert status(talk(port, request + body)) == 201
        # The very second of the deadline is in time.
        wait_s = (closes - datetime.now(UTC)).total_seconds() + 1.2
        begun_before = talk(port, request + body[:40], body[40:], pause_s=max(wait_s, 0.1))
        assert datetime.now(UTC) > closes
        assert status(begun_before) == 409
        assert b"submission_closed" in begun_before
        assert stored(world) == 1


@pytest.mark.parametrize(
    "given, utc",
    [
        ("2026-07-01T12:00:00+05:30", "2026-07-01T06:30:00Z"),
        ("2026-03-29T02:30:00+01:00", "2026-03-29T01:30:00Z"),
        ("2026-10-25T02:30:00+02:00", "2026-10-25T00:30:00Z"),
        ("2026-10-25T02:30:00+01:00", "2026-10-25T01:30:00Z"),
        ("9989-12-31T23:59:59Z", "9989-12-31T23:59:59Z"),
        ("9999-12-31T00:00:00Z", None),
        ("2026-06-30T23:59:60Z", None),
        ("2026-07-01T12:00:00", None),
        ("2026-02-30T12:00:00Z", None),
        ("9999-12-31T23:59:59-12:00", None),
        ("0001-01-01T00:00:00+14:00", None),
        ("+275760-09-13T00:00:00Z", None),
    ],
)
def test_g9_deadline_timezone_moments_are_kept_in_utc_or_refused(
    world: WebWorld, given: str, utc: str | None
) -> None:
    ines = world.script("ines")
    answer = ines.put(f"{DOUBLING}/schedule", json={"version": 1, "due_at": given})
    if utc is None:
        assert answer.status_code == 422, answer.text
        return
    assert answer.status_code == 200, answer.text
    assert answer.json()["due_at"] == utc
    with world.database.reading() as session:
        row = session.scalars(select(models.AssignmentSchedule)).one()
    assert row.due_at == datetime.fromisoformat(utc)
    for zone in ("Pacific/Kiritimati", "America/Los_Angeles", "Pacific/Niue"):
        settings = {"title": "JAX", "timezone": zone, "grace_days": 0}
        version = ines.get("/api/v1/courses/jax/settings").json()["version"]
        assert (
            ines.put("/api/v1/courses/jax/settings", json={"version": version, **settings}).status_code == 200
        )
        assert world.browser("ada").get("/courses/jax/assignments/doubling").status_code == 200
        assert world.script("ada").post(f"{DOUBLING}/submissions", json=BODY).status_code in (201, 409)


# --- grading ------------------------------------------------------------------------------------------------


def test_g9_regrade_race_grading_again_changing_points_and_leaving_end_in_one_state(
    crowded: WebWorld,
) -> None:
    world = crowded
    submission = world.graded("ada").submission_id
    tom, ines = world.script("tom"), world.script("ines")
    path = f"/api/v1/submissions/{submission}"
    seen = ines.get(f"{path}/review").json()["review"]["version"]
    change = {"points": "1", "reason": "So.", "version": seen}
    answers = at_once(
        lambda: tom.post(f"{path}/attempts"),
        lambda: ines.post(f"{path}/attempts"),
        lambda: tom.post(f"{path}/adjustments", json=change),
        lambda: ines.post(f"{path}/adjustments", json=change),
        lambda: ines.delete("/api/v1/courses/jax/members/ada"),
    )
    assert sorted(answer.status_code for answer in answers[:2]) == [202, 409]
    assert sorted(answer.status_code for answer in answers[2:4]) == [201, 409]
    assert answers[4].status_code == 204
    review = ines.get(f"{path}/review").json()
    assert [attempt["number"] for attempt in review["attempts"]] == [1, 2]
    assert len(review["adjustments"]) == 1
    with world.database.reading() as session:
        events = Counter(session.scalars(select(models.AuditEvent.action)))
    assert (events[Action.POINTS_ADJUSTED], events[Action.MEMBER_REMOVED]) == (1, 1)


def test_g9_regrade_race_a_result_of_an_older_run_replaces_none_of_a_newer_one(world: WebWorld) -> None:
    publish_hidden(world.course)
    attempt_id = world.submit("ada").attempt_id
    old = taken(world, attempt_id)
    with world.database.writing() as session:  # the lease ran out, and the sweeper queued it again
        row = session.get_one(models.Attempt, attempt_id)
        row.state, row.lease_token, row.lease_expires_at = AttemptState.QUEUED, None, None
    new = taken(world, attempt_id)
    assert settle(world, new, passed=True) is RunOutcome.GRADED
    score = score_of(world, attempt_id)
    assert settle(world, old, passed=False) is not RunOutcome.GRADED
    assert score_of(world, attempt_id) == score


def test_g9_late_result_replay_the_same_result_again_is_stale(world: WebWorld) -> None:
    publish_hidden(world.course)
    attempt_id = world.submit("ada").attempt_id
    lease = taken(world, attempt_id)
    assert settle(world, lease, passed=True) is RunOutcome.GRADED
    score = score_of(world, attempt_id)
    assert settle(world, lease, passed=False) is not RunOutcome.GRADED
    assert claim(world.database, attempt_id, owner="again:1", policy=QueuePolicy()) is None
    assert score_of(world, attempt_id) == score
    assert stored(world, models.CheckResult) == 4


def taken(world: WebWorld, attempt_id: Any) -> Lease:  # noqa: ANN401 - an id
    lease = claim(world.database, attempt_id, owner="test:1", policy=QueuePolicy())
    assert lease is not None
    return lease


def settle(world: WebWorld, lease: Lease, *, passed: bool) -> RunOutcome:
    result = a_result() if passed else a_result(frozenset())
    return settle_graded(
        world.database, lease, result, source=reading.files_of(world.database, lease.submission_id)
    )


def score_of(world: WebWorld, attempt_id: Any) -> Any:  # noqa: ANN401 - an id
    with world.database.reading() as session:
        return session.get_one(models.Attempt, attempt_id).score
