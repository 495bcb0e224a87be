"""What counts for a student: which submission, after lateness, with grace days spent over the course."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime, timedelta
from fractions import Fraction
from uuid import UUID, uuid4
from zoneinfo import ZoneInfo

import pytest
from hypothesis import given
from hypothesis import strategies as st

from grader.domain.scheduling import Counting, LateRule, Schedule
from grader.domain.standing import AssignmentWork, GradedWork, Standing, standing, standings

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
    assert counts(standing(handed_in, schedule=schedule(counting), zone=ZONE, chosen=marked)) == expected


def test_the_best_is_the_one_that_brings_most_after_lateness() -> None:
    found = standing([work(1, 9), work(2, 10, late=2)], schedule=schedule(), zone=ZONE)
    assert (counts(found), found.points) == (1, Fraction(9))


def test_a_late_submission_never_replaces_an_equal_one_that_was_in_time() -> None:
    found = standing([work(1), work(2, 10), work(3, 10)], schedule=schedule(), zone=ZONE)
    assert counts(found) == 1


def test_what_is_not_graded_counts_less_than_nothing_earned() -> None:
    found = standing([work(1, 0), work(2, None)], schedule=schedule(), zone=ZONE)
    assert (counts(found), found.points) == (1, Fraction(0))
    alone = standing([work(1, None)], schedule=schedule(), zone=ZONE)
    assert (counts(alone), alone.points) == (1, None)


def test_who_has_handed_in_nothing_has_nothing() -> None:
    found = standing([], schedule=schedule(), zone=ZONE)
    assert (found.work, found.points) == (None, None)


def test_lateness_takes_its_share_of_the_points_as_adjusted() -> None:
    found = standing([work(1, 8, adjusted=2, late=1)], schedule=schedule(), zone=ZONE)
    assert found.points == Fraction(9)


def test_adjustments_never_make_points_negative() -> None:
    assert work(1, 3, adjusted=-9).points == 0


def course(*delays: int, uses_grace: bool = True) -> list[AssignmentWork]:
    """One assignment a week, each with one submission so many days late."""
    return [
        AssignmentWork(
            assignment_id=UUID(int=at + 1),
            schedule=Schedule(
                due_at=DUE + 7 * at * DAY,
                late_rule=LateRule.PER_DAY,
                per_day=Fraction(1, 10),
                uses_grace=uses_grace,
            ),
            work=[
                GradedWork(
                    submission_id=uuid4(),
                    number=1,
                    received_at=DUE + (7 * at + late) * DAY,
                    earned=Fraction(10),
                    max_score=Fraction(10),
                )
            ],
        )
        for at, late in enumerate(delays)
    ]


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
    delays: tuple[int, ...], grace: int, points: list[int]
) -> None:
    assignments = course(*delays)
    # In whatever order they are given.
    found = standings(list(reversed(assignments)), zone=ZONE, grace_days=grace)
    assert [found[item.assignment_id].points for item in assignments] == points


@given(st.lists(st.integers(0, 6), max_size=6), st.integers(0, 12))
def test_no_more_grace_days_are_spent_than_there_are_and_none_without_need(
    delays: list[int], grace: int
) -> None:
    found = standings(course(*delays), zone=ZONE, grace_days=grace)
    spent = sum(item.lateness.grace_days for item in found.values())
    assert spent == min(grace, sum(delays))


@pytest.mark.parametrize("delay, earned", [(2, 0), (13, 10)])
def test_work_that_is_worth_nothing_takes_no_grace_days_from_the_next(delay: int, earned: int) -> None:
    first, second = course(delay, 2)
    [work] = first.work
    first = replace(first, work=[replace(work, earned=Fraction(earned))])
    found = standings([first, second], zone=ZONE, grace_days=2)
    assert found[first.assignment_id].points == 0
    assert found[second.assignment_id].points == 10


@given(st.lists(st.tuples(st.integers(0, 10), st.integers(0, 12)), min_size=1, max_size=6))
def test_handing_in_once_more_never_lowers_the_best(handed_in: list[tuple[int, int]]) -> None:
    works = [work(at + 1, earned, late=late) for at, (earned, late) in enumerate(handed_in)]
    points = [standing(works[:n], schedule=schedule(), zone=ZONE).points for n in range(1, len(works) + 1)]
    assert points == sorted(points, key=lambda value: -1 if value is None else value)
