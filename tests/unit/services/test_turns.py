from __future__ import annotations

import threading
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any
from uuid import UUID
from zoneinfo import ZoneInfo

import pytest
from sqlalchemy import update

from grader.db import models
from grader.db.database import Database
from grader.domain.attempts import AttemptState
from grader.domain.errors import NotFound, SubmissionClosed, TooManyRequests, UploadRefused
from grader.domain.people import Role
from grader.domain.scheduling import LateRule
from grader.services.submitting import Receipt
from grader.services.turns import Turn, turn_of
from tests.courses import SampleCourse, sample_course
from tests.storage import KINDS, database_url

DUE = datetime(2026, 12, 4, 22, 59, 59, tzinfo=UTC)
SECOND = timedelta(seconds=1)
DAY = timedelta(days=1)


class Clock:
    """A clock that stands still until it is set."""

    def __init__(self) -> None:
        self.now = DUE - 7 * DAY

    def __call__(self) -> datetime:
        return self.now


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture(params=KINDS)
def timed(request: pytest.FixtureRequest, clock: Clock, tmp_path: Path) -> Iterator[SampleCourse]:
    with database_url(request.param) as url:
        database = Database(url, clock=clock)
        try:
            yield sample_course(database, tmp_path / "doubling")
        finally:
            database.close()


def schedule(course: SampleCourse, **rules: Any) -> None:  # noqa: ANN401 - any column
    with course.database.writing() as session:
        session.merge(models.AssignmentSchedule(assignment_id=course.version.assignment_id, **rules))


def extend(course: SampleCourse, **dates: datetime) -> None:
    with course.database.writing() as session:
        session.add(
            models.Extension(
                assignment_id=course.version.assignment_id,
                user_id=course.student_id,
                reason="ill",
                granted_at=DUE - 7 * DAY,
                **dates,
            )
        )


def turn(course: SampleCourse, *, user_id: UUID | None = None, role: Role = Role.STUDENT) -> Turn:
    with course.database.reading() as session:
        assignment = session.get_one(models.Assignment, course.version.assignment_id)
        return turn_of(
            session,
            assignment,
            user_id=user_id or course.student_id,
            role=role,
            at=course.database.now(session),
        )


def end_attempt(course: SampleCourse, receipt: Receipt, state: AttemptState) -> None:
    with course.database.writing() as session:
        session.execute(
            update(models.Attempt).where(models.Attempt.id == receipt.attempt_id).values(state=state)
        )


def test_without_dates_everybody_may_hand_in_as_often_as_they_like(timed: SampleCourse) -> None:
    assert [timed.submit().number for _ in range(3)] == [1, 2, 3]
    assert (turn(timed).open, turn(timed).left, turn(timed).refusal) == (True, None, "")


@pytest.mark.parametrize("late", [timedelta(0), timedelta(microseconds=999_999)])
def test_the_very_second_of_closing_is_still_taken(
    timed: SampleCourse, clock: Clock, late: timedelta
) -> None:
    schedule(timed, due_at=DUE, closes_at=DUE)
    clock.now = DUE + late
    assert timed.submit().received_at == DUE + late


def test_the_second_after_closing_is_refused_and_the_message_says_when_it_closed(
    timed: SampleCourse, clock: Clock
) -> None:
    schedule(timed, due_at=DUE, closes_at=DUE)
    clock.now = DUE + SECOND
    with pytest.raises(SubmissionClosed, match=r"doubling\. It closed on Fri 4 Dec 2026, 22:59:59 UTC"):
        timed.submit()


def test_an_extension_moves_the_closing_for_its_student_alone(timed: SampleCourse, clock: Clock) -> None:
    schedule(timed, due_at=DUE, closes_at=DUE)
    extend(timed, due_at=DUE + DAY)
    clock.now = DUE + DAY
    assert timed.submit().number == 1
    with pytest.raises(SubmissionClosed):
        timed.submit(user_id=timed.enrol("ben"))


def test_after_the_due_date_and_before_the_closing_a_submission_is_late(
    timed: SampleCourse, clock: Clock
) -> None:
    schedule(timed, due_at=DUE, closes_at=DUE + 3 * DAY, late_rule=LateRule.PER_DAY, per_day="1/10")
    clock.now = DUE + DAY + SECOND
    found = turn(timed)
    assert (found.open, found.past_due, found.days_late) == (True, True, 2)


@pytest.mark.parametrize("rules", [{"draft": True}, {"opens_at": DUE}])
def test_what_is_not_open_yet_does_not_exist_for_students(timed: SampleCourse, rules: dict[str, Any]) -> None:
    schedule(timed, **rules)
    with pytest.raises(NotFound, match="no assignment named 'doubling'"):
        timed.submit()


def test_staff_may_hand_in_whenever_they_like(timed: SampleCourse, clock: Clock) -> None:
    ta = timed.enrol("tom", Role.TA)
    schedule(timed, draft=True, due_at=DUE, closes_at=DUE, submission_limit=1, cooldown_s=3600)
    clock.now = DUE + DAY
    assert [timed.submit(user_id=ta).number for _ in range(3)] == [1, 2, 3]


def test_an_archived_course_takes_nothing_more(timed: SampleCourse, clock: Clock) -> None:
    with timed.database.writing() as session:
        session.add(models.CoursePolicy(course_id=timed.course_id, archived_at=clock.now))
    with pytest.raises(SubmissionClosed, match="archived"):
        timed.submit()


def test_a_limit_counts_what_was_handed_in(timed: SampleCourse) -> None:
    schedule(timed, submission_limit=2)
    timed.submit()
    assert (turn(timed).used, turn(timed).left) == (1, 1)
    timed.submit()
    with pytest.raises(SubmissionClosed, match="All 2 submissions are used"):
        timed.submit()


@pytest.mark.parametrize("state", [AttemptState.NOT_GRADED, AttemptState.ABANDONED])
def test_what_could_not_be_graded_costs_no_submission_and_no_wait(
    timed: SampleCourse, state: AttemptState
) -> None:
    schedule(timed, submission_limit=1, cooldown_s=3600)
    end_attempt(timed, timed.submit(), state)
    assert timed.submit().number == 2


def test_what_cannot_be_read_costs_no_submission(timed: SampleCourse) -> None:
    schedule(timed, submission_limit=1)
    with pytest.raises(UploadRefused):
        timed.submit(b"\x7fELF\0\1")
    assert timed.submit().number == 1


def test_a_double_click_on_the_last_submission_gives_the_same_receipt(timed: SampleCourse) -> None:
    schedule(timed, submission_limit=1)
    first, again = timed.submit(key="k"), timed.submit(key="k")
    assert (again.submission_id, again.repeated) == (first.submission_id, True)


def test_a_cool_down_says_how_long_it_lasts(timed: SampleCourse, clock: Clock) -> None:
    schedule(timed, cooldown_s=600)
    timed.submit()
    clock.now += timedelta(seconds=590)
    with pytest.raises(TooManyRequests, match="taken at Fri 27 Nov 2026, 23:09:59 UTC") as refused:
        timed.submit()
    assert refused.value.retry_after_s == 10
    clock.now += timedelta(seconds=10)
    assert timed.submit().number == 2


def test_deadlines_are_told_in_the_zone_of_the_course(timed: SampleCourse, clock: Clock) -> None:
    with timed.database.writing() as session:
        session.get_one(models.Course, timed.course_id).timezone = "Pacific/Auckland"
    schedule(timed, due_at=DUE, closes_at=DUE)
    clock.now = DUE + DAY
    assert turn(timed).zone == ZoneInfo("Pacific/Auckland")
    with pytest.raises(SubmissionClosed, match="Sat 5 Dec 2026, 11:59:59 NZDT"):
        timed.submit()


def test_of_fifty_requests_at_once_for_the_last_submission_one_is_taken(course: SampleCourse) -> None:
    schedule(course, submission_limit=1)
    start = threading.Barrier(50)
    taken: list[Receipt] = []
    refused: list[SubmissionClosed] = []

    def hand_in() -> None:
        start.wait()
        try:
            taken.append(course.submit())
        except SubmissionClosed as error:
            refused.append(error)

    threads = [threading.Thread(target=hand_in) for _ in range(50)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert (len(taken), len(refused)) == (1, 49)
