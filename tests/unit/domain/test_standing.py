"""What counts for a student: which submission, after lateness, with grace days spent over the course."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, datetime, timedelta
from fractions import Fraction
from uuid import UUID, uuid4
from zoneinfo import ZoneInfo

import pytest
from hypothesis import given
from hypothesis import strategies as st

from grader.domain.lateness import NO_ALLOWANCE, Allowance, deadline_for
from grader.domain.scheduling import Counting, LateRule, Schedule
from grader.domain.standing import CourseRules, GradedWork, Standing, standing

ZONE = ZoneInfo("Europe/Zurich")
DUE = datetime(2026, 5, 1, 12, tzinfo=UTC)
DAY = timedelta(days=1)


def work(number: int, earned: int | None = 10, *, late: int = 0, adjusted: int = 0) -> GradedWork:
    """A submission so many days late."""
    return GradedWork(
        submission_id=UUID(int=number),
        number=number,
        received_at=DUE + late * DAY,
        earned=None if earned is None else Fraction(earned),
        max_score=Fraction(10),
        adjusted_by=Fraction(adjusted),
    )


def schedule(counting: Counting = Counting.BEST, *, uses_grace: bool = False) -> Schedule:
    return Schedule(
        due_at=DUE,
        late_rule=LateRule.PER_DAY,
        per_day=Fraction(1, 10),
        counting=counting,
        uses_grace=uses_grace,
    )


def stands(work: Sequence[GradedWork], rules: Schedule, *, chosen: UUID | None = None) -> Standing:
    """The standing of a student who was granted nothing."""
    deadline = deadline_for(rules, NO_ALLOWANCE, ZONE)
    return standing(work, schedule=rules, deadline=deadline, zone=ZONE, chosen=chosen)


def counts(found: Standing) -> int | None:
    return None if found.work is None else found.work.number


@pytest.mark.parametrize(
    "counting, chosen, expected",
    [
        (Counting.BEST, None, 2),
        (Counting.LAST, None, 3),
        (Counting.CHOSEN, 1, 1),
        (Counting.CHOSEN, None, 3),
        (Counting.CHOSEN, 99, 3),
    ],
)
def test_the_course_says_which_submission_counts(
    counting: Counting, chosen: int | None, expected: int
) -> None:
    handed_in = [work(3, 1), work(1, 5), work(2, 9)]
    marked = None if chosen is None else UUID(int=chosen)
    assert counts(stands(handed_in, schedule(counting), chosen=marked)) == expected


def test_the_best_is_the_one_that_brings_most_after_lateness() -> None:
    found = stands([work(1, 9), work(2, 10, late=2)], schedule())
    assert (counts(found), found.points) == (1, Fraction(9))


def test_a_late_submission_never_replaces_an_equal_one_that_was_in_time() -> None:
    found = stands([work(1), work(2, 10), work(3, 10)], schedule())
    assert counts(found) == 1


def test_what_is_not_graded_counts_less_than_nothing_earned() -> None:
    found = stands([work(1, 0), work(2, None)], schedule())
    assert (counts(found), found.points) == (1, Fraction(0))
    alone = stands([work(1, None)], schedule())
    assert (counts(alone), alone.points) == (1, None)


def test_who_has_handed_in_nothing_has_nothing() -> None:
    found = stands([], schedule())
    assert (found.work, found.points) == (None, None)


def test_lateness_takes_its_share_of_the_points_as_adjusted() -> None:
    found = stands([work(1, 8, adjusted=2, late=1)], schedule())
    assert found.points == Fraction(9)


def test_adjustments_never_make_points_negative() -> None:
    assert work(1, 3, adjusted=-9).points == 0


Delays = Sequence[int]


def assignment(at: int) -> UUID:
    """The id of a course's assignment of week `at`. Later ones sort before earlier ones."""
    return UUID(int=1000 - at)


def course(weeks: int, *, grace_days: int) -> CourseRules:
    """One assignment a week."""
    schedules = {
        assignment(at): Schedule(
            due_at=DUE + 7 * at * DAY,
            late_rule=LateRule.PER_DAY,
            per_day=Fraction(1, 10),
            uses_grace=True,
        )
        for at in reversed(range(weeks))
    }
    return CourseRules.of(schedules, zone=ZONE, grace_days=grace_days)


def handed_in(delays: Delays, *, earned: int = 10) -> dict[UUID, list[GradedWork]]:
    """One submission for each assignment, so many days late; `earned` by the first."""
    return {
        assignment(at): [
            GradedWork(
                submission_id=uuid4(),
                number=1,
                received_at=DUE + (7 * at + late) * DAY,
                earned=Fraction(10 if at else earned),
                max_score=Fraction(10),
            )
        ]
        for at, late in enumerate(delays)
    }


@pytest.mark.parametrize(
    "delays, grace, points",
    [
        ((1, 1, 1), 0, [9, 9, 9]),
        ((1, 1, 1), 2, [10, 10, 9]),
        ((3, 1, 0), 2, [9, 9, 10]),
        ((0, 0, 3), 2, [10, 10, 9]),
        ((1, 1, 1), 9, [10, 10, 10]),
    ],
)
def test_grace_days_are_spent_in_the_order_of_the_deadlines(
    delays: Delays, grace: int, points: list[int]
) -> None:
    found = course(len(delays), grace_days=grace).standings(handed_in(delays))
    assert [found[assignment(at)].points for at in range(len(delays))] == points


def test_assignments_without_work_are_there_too_and_take_no_grace_days() -> None:
    works = handed_in([0, 2])
    del works[assignment(0)]
    found = course(2, grace_days=2).standings(works)
    assert [found[assignment(at)].points for at in range(2)] == [None, 10]


def test_what_one_student_was_granted_moves_their_deadline_alone() -> None:
    rules, works = course(2, grace_days=0), handed_in([2, 2])
    granted = rules.standings(works, allowances={assignment(1): Allowance(due_at=DUE + 8 * DAY)})
    assert [granted[assignment(at)].points for at in range(2)] == [8, 9]
    assert [rules.standings(works)[assignment(at)].points for at in range(2)] == [8, 8]


def test_the_submission_that_a_student_marked_counts_for_its_assignment() -> None:
    rules = CourseRules.of({assignment(0): schedule(Counting.CHOSEN)}, zone=ZONE, grace_days=0)
    works = {assignment(0): [work(1, 5), work(2, 9)]}
    found = rules.standings(works, chosen={assignment(0): UUID(int=1), assignment(1): UUID(int=2)})
    assert counts(found[assignment(0)]) == 1


@given(st.lists(st.integers(0, 6), max_size=6), st.integers(0, 12))
def test_no_more_grace_days_are_spent_than_there_are_and_none_without_need(
    delays: list[int], grace: int
) -> None:
    found = course(len(delays), grace_days=grace).standings(handed_in(delays))
    spent = sum(item.lateness.grace_days for item in found.values())
    assert spent == min(grace, sum(delays))


@pytest.mark.parametrize("delay, earned", [(2, 0), (13, 10)])
def test_work_that_is_worth_nothing_takes_no_grace_days_from_the_next(delay: int, earned: int) -> None:
    found = course(2, grace_days=2).standings(handed_in([delay, 2], earned=earned))
    assert [found[assignment(at)].points for at in range(2)] == [0, 10]


@given(st.lists(st.tuples(st.integers(0, 10), st.integers(0, 12)), min_size=1, max_size=6))
def test_handing_in_once_more_never_lowers_the_best(handed_in: list[tuple[int, int]]) -> None:
    works = [work(at + 1, earned, late=late) for at, (earned, late) in enumerate(handed_in)]
    points = [stands(works[:n], schedule()).points for n in range(1, len(works) + 1)]
    assert points == sorted(points, key=lambda value: -1 if value is None else value)
