from __future__ import annotations

from datetime import timedelta
from fractions import Fraction
from pathlib import Path
from uuid import UUID, uuid4

import pytest
from sqlalchemy import update

from grader.db import models
from grader.domain.attempts import AttemptState, Lane
from grader.domain.errors import NotFound
from grader.domain.results import Stage
from grader.services import grading, reading
from grader.services.leases import claim
from grader.services.policy import QueuePolicy
from grader.services.reading import AttemptFilter
from tests.courses import SOLUTION, SampleCourse
from tests.engines import TextEngine


def grade(course: SampleCourse, attempt_id: UUID, cache: Path, policy: QueuePolicy) -> None:
    grading.run(
        attempt_id,
        database=course.database,
        engine=TextEngine(),
        cache=cache,
        owner="here:1",
        policy=policy,
    )


def test_an_attempt_is_shown_with_whose_and_what_it_is(
    course: SampleCourse, cache: Path, policy: QueuePolicy
) -> None:
    receipt = course.submit()
    grade(course, receipt.attempt_id, cache, policy)
    view = reading.attempt(course.database, receipt.attempt_id)
    assert (view.student, view.student_name, view.assignment) == ("ada", "Ada", "doubling")
    assert view.title == "submission 1, attempt 1"
    assert (view.state, view.progress.stage) == (AttemptState.GRADED, Stage.DONE)
    assert (view.score, view.max_score) == (Fraction(5), Fraction(5))
    assert (view.received_at, view.content_hash) == (receipt.received_at, receipt.content_hash)


def test_an_attempt_that_does_not_exist_is_named(course: SampleCourse) -> None:
    missing = uuid4()
    with pytest.raises(NotFound, match=str(missing)):
        reading.attempt(course.database, missing)


def test_attempts_are_listed_newest_first_and_by_what_is_asked(
    course: SampleCourse, cache: Path, policy: QueuePolicy
) -> None:
    ben = course.enrol("ben")
    one, two, three = course.submit(), course.submit(), course.submit(user_id=ben)
    grade(course, two.attempt_id, cache, policy)

    def listed(wanted: AttemptFilter, limit: int = 10) -> list[UUID]:
        return [view.id for view in reading.attempts(course.database, wanted, limit=limit)]

    assert listed(AttemptFilter()) == [three.attempt_id, two.attempt_id, one.attempt_id]
    assert listed(AttemptFilter(), limit=1) == [three.attempt_id]
    assert listed(AttemptFilter(user_id=ben)) == [three.attempt_id]
    assert listed(AttemptFilter(submission_id=one.submission_id)) == [one.attempt_id]
    assert listed(AttemptFilter(states=frozenset({AttemptState.GRADED}))) == [two.attempt_id]
    assert listed(AttemptFilter(assignment_id=uuid4())) == []
    assert listed(reading.FOR_STAFF) == []


def test_a_students_newest_attempt_is_found_by_names(course: SampleCourse) -> None:
    first, second = course.submit(), course.submit()

    def found(submission: int | None = None) -> UUID:
        return reading.find_attempt(
            course.database,
            course_id=course.course_id,
            assignment="doubling",
            login="ada",
            submission=submission,
        ).id

    assert found() == second.attempt_id
    assert found(1) == first.attempt_id
    with pytest.raises(NotFound, match="doubling 7 by ada"):
        found(7)


def test_the_files_of_a_submission_are_read_as_the_engine_reads_them(course: SampleCourse) -> None:
    receipt = course.submit(SOLUTION, name="my_work.py")
    files = reading.files_of(course.database, receipt.submission_id)
    assert files.text_of(files.entry) == SOLUTION.decode()
    with pytest.raises(NotFound):
        reading.files_of(course.database, uuid4())


def test_a_queue_position_is_counted_from_the_front(course: SampleCourse, policy: QueuePolicy) -> None:
    ids = [course.submit().attempt_id for _ in range(4)]
    assert [position(course, attempt_id).ahead for attempt_id in ids] == [0, 1, 2, 3]
    claim(course.database, ids[0], owner="here:1", policy=policy)
    assert reading.queue_position(course.database, ids[0]) is None
    found = position(course, ids[2])
    assert (found.ahead, found.running, found.wait_s) == (1, 1, None)


def test_the_interactive_lane_stands_before_the_bulk_lane(course: SampleCourse) -> None:
    bulk, later = course.submit().attempt_id, course.submit().attempt_id
    with course.database.writing() as session:
        session.execute(update(models.Attempt).where(models.Attempt.id == bulk).values(lane=Lane.BULK))
    assert (position(course, bulk).ahead, position(course, later).ahead) == (1, 0)


def test_the_wait_is_estimated_from_what_the_last_runs_took(
    course: SampleCourse, cache: Path, policy: QueuePolicy
) -> None:
    graded, running, waiting = (course.submit().attempt_id for _ in range(3))
    grade(course, graded, cache, policy)
    with course.database.writing() as session:
        attempt = session.get_one(models.Attempt, graded)
        assert attempt.started_at is not None
        attempt.finished_at = attempt.started_at + timedelta(seconds=8)
    claim(course.database, running, owner="here:1", policy=policy)
    assert position(course, waiting).wait_s == 8.0


def position(course: SampleCourse, attempt_id: UUID) -> reading.QueuePosition:
    found = reading.queue_position(course.database, attempt_id)
    assert found is not None
    return found
