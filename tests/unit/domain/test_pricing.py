"""What handing in will cost, told beforehand, is what the standings then say."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import UTC, datetime, timedelta
from fractions import Fraction
from uuid import UUID
from zoneinfo import ZoneInfo

import pytest
from hypothesis import given
from hypothesis import strategies as st

from grader.domain.lateness import Allowance, Lateness
from grader.domain.pricing import Books, Price
from grader.domain.scheduling import Counting, LateRule, Schedule
from grader.domain.standing import CourseRules, GradedWork

ZONE = ZoneInfo("Europe/Zurich")
DUE = datetime(2026, 5, 1, 12, tzinfo=UTC)
DAY = timedelta(days=1)
FIRST, SECOND = UUID(int=1), UUID(int=2)
NO_WORK: Mapping[UUID, Sequence[GradedWork]] = {}


def late_rule(
    *, share: Fraction = Fraction(1, 10), grace: bool = True, after: timedelta = 0 * DAY
) -> Schedule:
    return Schedule(
        due_at=DUE + after,
        late_rule=LateRule.PER_DAY,
        per_day=share,
        uses_grace=grace,
        counting=Counting.LAST,
    )


def work(at: datetime, *, number: int = 1, earned: int | None = 4) -> GradedWork:
    points = None if earned is None else Fraction(earned)
    return GradedWork(
        submission_id=UUID(int=100 + number),
        number=number,
        received_at=at,
        earned=points,
        max_score=Fraction(5),
    )


def books(
    *schedules: Schedule,
    grace_days: int = 2,
    handed_in: Mapping[UUID, Sequence[GradedWork]] = NO_WORK,
    allowances: Mapping[UUID, Allowance] | None = None,
) -> Books:
    """The books of a student in a course of these assignments, numbered from 1."""
    known = {UUID(int=number): schedule for number, schedule in enumerate(schedules, start=1)}
    return Books(
        rules=CourseRules.of(known, zone=ZONE, grace_days=grace_days),
        handed_in=handed_in,
        allowances=allowances or {},
        chosen={},
    )


@pytest.mark.parametrize(
    "rule, grace_days, late, expected",
    [
        (Schedule(), 2, 9 * DAY, Price(lateness=Lateness(), grace_left=2)),
        (late_rule(), 2, -DAY, Price(lateness=Lateness(), grace_left=2)),
        (late_rule(), 2, 0 * DAY, Price(lateness=Lateness(), grace_left=2)),
        (
            late_rule(),
            2,
            timedelta(seconds=1),
            Price(lateness=Lateness(days_late=1, grace_days=1), grace_left=2),
        ),
        (late_rule(), 2, 2 * DAY, Price(lateness=Lateness(days_late=2, grace_days=2), grace_left=2)),
        (
            late_rule(),
            2,
            3 * DAY,
            Price(lateness=Lateness(days_late=3, grace_days=2, penalty=Fraction(1, 10)), grace_left=2),
        ),
        (
            late_rule(),
            0,
            1 * DAY,
            Price(lateness=Lateness(days_late=1, penalty=Fraction(1, 10)), grace_left=0),
        ),
        (
            late_rule(grace=False),
            2,
            1 * DAY,
            Price(lateness=Lateness(days_late=1, penalty=Fraction(1, 10)), grace_left=2),
        ),
        (
            late_rule(share=Fraction(1)),
            2,
            3 * DAY,
            Price(lateness=Lateness(days_late=3, penalty=Fraction(1)), grace_left=2),
        ),
        (
            Schedule(due_at=DUE, late_rule=LateRule.NOTHING, uses_grace=True),
            2,
            DAY,
            Price(lateness=Lateness(days_late=1), grace_left=2),
        ),
    ],
    ids=[
        "no deadline",
        "a day before",
        "the very second",
        "a second after",
        "as late as grace days last",
        "later than grace days last",
        "no grace days",
        "grace days not for this one",
        "grace days would save nothing",
        "late work loses nothing",
    ],
)
def test_the_price_of_handing_in_is(
    rule: Schedule, grace_days: int, late: timedelta, expected: Price
) -> None:
    assert books(rule, grace_days=grace_days).price(FIRST, at=DUE + late) == expected


def test_an_extension_moves_the_price() -> None:
    extended = books(late_rule(), allowances={FIRST: Allowance(due_at=DUE + 2 * DAY)})
    assert extended.price(FIRST, at=DUE + 2 * DAY).lateness == Lateness()
    assert extended.price(FIRST, at=DUE + 3 * DAY).lateness == Lateness(days_late=1, grace_days=1)


def test_days_spent_on_earlier_deadlines_are_gone() -> None:
    spent = books(late_rule(), late_rule(after=7 * DAY), handed_in={FIRST: [work(DUE + DAY)]}, grace_days=2)
    assert spent.price(SECOND, at=DUE + 8 * DAY) == Price(
        lateness=Lateness(days_late=1, grace_days=1), grace_left=1
    )


def test_days_that_the_same_assignment_has_spent_are_there_to_be_spent_again() -> None:
    spent = books(late_rule(), handed_in={FIRST: [work(DUE + DAY)]}, grace_days=2)
    assert spent.price(FIRST, at=DUE + 2 * DAY) == Price(
        lateness=Lateness(days_late=2, grace_days=2), grace_left=2
    )


def test_a_later_assignment_whose_days_would_be_taken_is_named() -> None:
    spent = books(late_rule(), late_rule(after=DAY), handed_in={SECOND: [work(DUE + 2 * DAY)]}, grace_days=1)
    price = spent.price(FIRST, at=DUE + 3 * DAY)
    assert price == Price(
        lateness=Lateness(days_late=3, grace_days=1, penalty=Fraction(1, 5)), grace_left=1, dearer=(SECOND,)
    )
    enough = books(late_rule(), late_rule(after=DAY), handed_in={SECOND: [work(DUE + 2 * DAY)]}, grace_days=9)
    assert enough.price(FIRST, at=DUE + 3 * DAY).dearer == ()


@given(
    late_h=st.integers(-30, 200),
    other_h=st.integers(-30, 200),
    grace_days=st.integers(0, 4),
    share=st.fractions(0, 1, max_denominator=10),
    shift=st.integers(-3, 3),
)
def test_what_was_foretold_is_what_the_standings_say_afterwards(
    late_h: int, other_h: int, grace_days: int, share: Fraction, shift: int
) -> None:
    rules = (late_rule(share=share), late_rule(after=shift * DAY))
    before = {FIRST: [work(DUE)], SECOND: [work(DUE + timedelta(hours=other_h))]}
    at = DUE + timedelta(hours=late_h)
    told = books(*rules, grace_days=grace_days, handed_in=before)
    price = told.price(FIRST, at=at)
    after = {**before, FIRST: [*before[FIRST], work(at, number=2)]}
    then = books(*rules, grace_days=grace_days, handed_in=after).standings()
    assert then[FIRST].lateness == price.lateness
    worse = then[SECOND].lateness.penalty > told.standings()[SECOND].lateness.penalty
    assert price.dearer == ((SECOND,) if worse else ())
