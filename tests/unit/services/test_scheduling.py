from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime, timedelta
from fractions import Fraction

import pytest

from grader.domain.errors import Conflict, EditConflict, InvalidInput, NotAllowed, NotFound
from grader.domain.scheduling import Counting, LateRule, Schedule
from grader.services.access import Actor
from grader.services.extending import ExtensionView, extensions, grant_extension, revoke_extension
from grader.services.scheduling import (
    ScheduleView,
    change_schedule,
    release_grades,
    schedule_for,
    take_grades_back,
)
from tests.reviews import ReviewedCourse

DUE = datetime(2027, 3, 1, 22, 59, tzinfo=UTC)
DAY = timedelta(days=1)
SCHEDULE = Schedule(
    draft=True,
    opens_at=DUE - 7 * DAY,
    due_at=DUE,
    closes_at=DUE + 3 * DAY,
    late_rule=LateRule.PER_DAY,
    per_day=Fraction(1, 3),
    uses_grace=True,
    submission_limit=20,
    cooldown_s=600,
    counting=Counting.CHOSEN,
)
HERE = {"course": "jax", "slug": "doubling"}


def look(review: ReviewedCourse) -> ScheduleView:
    return schedule_for(review.database, actor=review.tia, **HERE)


def change(
    review: ReviewedCourse, schedule: Schedule, *, seen: int = 1, actor: Actor | None = None
) -> ScheduleView:
    return change_schedule(review.database, actor=actor or review.ines, **HERE, seen=seen, schedule=schedule)


def test_an_assignment_nobody_has_scheduled_is_open_without_a_deadline(review: ReviewedCourse) -> None:
    assert (look(review).schedule, look(review).version) == (Schedule(), 1)


def test_what_is_set_is_what_is_read_and_the_version_grows(review: ReviewedCourse) -> None:
    assert change(review, SCHEDULE).version == 2
    assert look(review).schedule == SCHEDULE
    assert change(review, Schedule(), seen=2).version == 3


def test_two_people_who_edit_at_once_cannot_overwrite_each_other(review: ReviewedCourse) -> None:
    change(review, SCHEDULE)
    with pytest.raises(EditConflict, match="version 1, now it is 2"):
        change(review, Schedule())
    assert look(review).schedule == SCHEDULE


def test_a_version_that_is_not_there_yet_blames_nobody_else(review: ReviewedCourse) -> None:
    with pytest.raises(EditConflict, match="there is no version 9 yet, now it is 1") as caught:
        change(review, SCHEDULE, seen=9)
    assert "somebody else" not in str(caught.value)


@pytest.mark.parametrize(
    "schedule, field",
    [
        (replace(SCHEDULE, closes_at=DUE - DAY), "closes"),
        (replace(SCHEDULE, opens_at=DUE), "opens"),
        (replace(SCHEDULE, per_day=Fraction(11, 10)), "late penalty"),
        (replace(SCHEDULE, per_day=Fraction(0)), "late penalty"),
        (replace(SCHEDULE, late_rule=LateRule.NOTHING), "late penalty"),
        (replace(SCHEDULE, submission_limit=0), "submission limit"),
        (replace(SCHEDULE, cooldown_s=-1), "cool-down"),
    ],
)
def test_rules_that_contradict_each_other_are_refused(
    review: ReviewedCourse, schedule: Schedule, field: str
) -> None:
    with pytest.raises(InvalidInput) as caught:
        change(review, schedule)
    assert caught.value.field == field


def test_grades_are_released_once_and_can_be_taken_back(review: ReviewedCourse) -> None:
    released = release_grades(review.database, actor=review.ines, **HERE, seen=1)
    assert released.schedule.released_at is not None
    with pytest.raises(Conflict, match="released already"):
        release_grades(review.database, actor=review.ines, **HERE, seen=released.version)
    assert change(review, SCHEDULE, seen=released.version).schedule.released_at is not None
    back = take_grades_back(review.database, actor=review.ines, **HERE, seen=3)
    assert back.schedule.released_at is None


def test_only_instructors_set_dates_and_a_stranger_learns_nothing(review: ReviewedCourse) -> None:
    for actor, error in ((review.tia, NotAllowed), (review.ada, NotAllowed), (review.stranger, NotFound)):
        with pytest.raises(error):
            change(review, SCHEDULE, actor=actor)
    with pytest.raises(NotAllowed):
        schedule_for(review.database, actor=review.ada, **HERE)


def grant(
    review: ReviewedCourse,
    *,
    by: Actor | None = None,
    login: str = "ada",
    due_at: datetime = DUE + DAY,
    reason: str = "Ill.",
) -> ExtensionView:
    return grant_extension(
        review.database, actor=by or review.ines, **HERE, login=login, due_at=due_at, reason=reason
    )


def test_an_extension_is_kept_with_who_granted_it_and_why(review: ReviewedCourse) -> None:
    change(review, SCHEDULE)
    granted = grant(review)
    assert (granted.login, granted.granted_by, granted.reason) == ("ada", "Ines", "Ill.")
    assert extensions(review.database, actor=review.tia, course="jax") == (granted,)
    assert extensions(review.database, actor=review.tia, course="jax", login="ben") == ()


def test_an_extension_taken_back_stays_on_record(review: ReviewedCourse) -> None:
    change(review, SCHEDULE)
    granted = grant(review)
    revoke_extension(review.database, actor=review.ines, course="jax", extension_id=granted.id)
    [seen] = extensions(review.database, actor=review.tia, course="jax")
    assert seen.revoked_at is not None
    with pytest.raises(Conflict, match="already"):
        revoke_extension(review.database, actor=review.ines, course="jax", extension_id=granted.id)


def test_an_extension_has_to_extend_something_for_a_member_and_with_a_reason(review: ReviewedCourse) -> None:
    with pytest.raises(Conflict, match="no deadline"):
        grant(review)
    change(review, SCHEDULE)
    with pytest.raises(InvalidInput, match="not after"):
        grant(review, due_at=DUE)
    with pytest.raises(InvalidInput, match="reason"):
        grant(review, reason=" ")
    with pytest.raises(NotFound, match="mallory"):
        grant(review, login="mallory")
    for actor, error in ((review.tia, NotAllowed), (review.stranger, NotFound)):
        with pytest.raises(error):
            grant(review, by=actor)
