"""Deadlines: zones, both edges of summer time, extensions, grace days, the very second."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from fractions import Fraction
from zoneinfo import ZoneInfo

import pytest
from hypothesis import given
from hypothesis import strategies as st

from grader.domain.lateness import (
    NO_ALLOWANCE,
    Allowance,
    Deadline,
    Lateness,
    accepts,
    add_days,
    days_late,
    deadline_for,
    judge,
)
from grader.domain.scheduling import LateRule, Schedule

ZURICH, NEW_YORK, KATHMANDU, LORD_HOWE = (
    ZoneInfo(name) for name in ("Europe/Zurich", "America/New_York", "Asia/Kathmandu", "Australia/Lord_Howe")
)
TENTH = Schedule(
    due_at=datetime(2026, 5, 1, 22, tzinfo=UTC), late_rule=LateRule.PER_DAY, per_day=Fraction(1, 10)
)
SECOND = timedelta(seconds=1)


def at(text: str, zone: ZoneInfo) -> datetime:
    return datetime.fromisoformat(text).replace(tzinfo=zone)


@pytest.mark.parametrize(
    "zone, due, received, late",
    [
        (ZURICH, "2026-05-01T23:59:00", "2026-05-01T23:59:00", 0),
        (ZURICH, "2026-05-01T23:59:00", "2026-05-01T23:59:00.999999", 0),
        (ZURICH, "2026-05-01T23:59:00", "2026-05-01T23:59:01", 1),
        (ZURICH, "2026-05-01T23:59:00", "2026-05-02T23:59:00", 1),
        (ZURICH, "2026-05-01T23:59:00", "2026-05-02T23:59:01", 2),
        (ZURICH, "2026-05-01T23:59:00", "2026-04-01T00:00:00", 0),
        (KATHMANDU, "2026-05-01T23:59:00", "2026-05-02T23:59:00", 1),
        # Clocks put forward: the day has 23 hours, and is one day all the same.
        (ZURICH, "2026-03-28T12:00:00", "2026-03-29T12:00:00", 1),
        (ZURICH, "2026-03-28T12:00:00", "2026-03-29T12:00:01", 2),
        (NEW_YORK, "2026-03-07T23:59:00", "2026-03-08T23:59:00", 1),
        # Clocks put back: the day has 25 hours, and is one day all the same.
        (ZURICH, "2026-10-24T12:00:00", "2026-10-25T12:00:00", 1),
        (ZURICH, "2026-10-24T12:00:00", "2026-10-25T12:00:01", 2),
        (NEW_YORK, "2026-10-31T23:59:00", "2026-11-01T23:59:00", 1),
        (LORD_HOWE, "2026-04-04T12:00:00", "2026-04-05T12:00:00", 1),
        # A deadline at a time that the next day's clock skips ends where that time would have been.
        (ZURICH, "2026-03-28T02:30:00", "2026-03-29T03:30:00", 1),
        (ZURICH, "2026-03-28T02:30:00", "2026-03-29T03:30:01", 2),
    ],
)
def test_days_late_are_days_begun_on_the_courses_calendar(
    zone: ZoneInfo, due: str, received: str, late: int
) -> None:
    assert days_late(at(received, zone).astimezone(UTC), at(due, zone).astimezone(UTC), zone) == late


def test_of_a_time_that_comes_twice_the_later_counts() -> None:
    due = at("2026-10-24T02:30:00", ZURICH).astimezone(UTC)
    first, second = (at("2026-10-25T02:30:00", ZURICH).replace(fold=fold).astimezone(UTC) for fold in (0, 1))
    assert second - first == timedelta(hours=1)
    assert add_days(due, 1, ZURICH) == second
    assert days_late(second, due, ZURICH) == 1


@given(
    st.datetimes(datetime(2020, 1, 1), datetime(2035, 1, 1)),  # noqa: DTZ001 - made aware below
    st.integers(0, 400),
    st.sampled_from([ZURICH, NEW_YORK, KATHMANDU, LORD_HOWE]),
)
def test_so_many_days_after_a_deadline_one_is_exactly_so_many_days_late(
    moment: datetime, days: int, zone: ZoneInfo
) -> None:
    due = moment.replace(microsecond=0, tzinfo=UTC)
    then = add_days(due, days, zone)
    assert days_late(then, due, zone) == days
    assert days_late(then + SECOND, due, zone) == days + 1


@pytest.mark.parametrize(
    "allowance, due, closes",
    [
        (NO_ALLOWANCE, "2026-05-01", "2026-05-03"),
        (Allowance(extra_days=2), "2026-05-03", "2026-05-05"),
        (Allowance(due_at=datetime(2026, 5, 2, 12, tzinfo=UTC)), "2026-05-02", "2026-05-03"),
        (Allowance(due_at=datetime(2026, 5, 9, 12, tzinfo=UTC)), "2026-05-09", "2026-05-09"),
        (Allowance(due_at=datetime(2026, 4, 1, tzinfo=UTC)), "2026-05-01", "2026-05-03"),
        (Allowance(due_at=datetime(2026, 5, 2, 12, tzinfo=UTC), extra_days=4), "2026-05-05", "2026-05-07"),
        (
            Allowance(
                due_at=datetime(2026, 5, 2, 12, tzinfo=UTC), closes_at=datetime(2026, 6, 1, 12, tzinfo=UTC)
            ),
            "2026-05-02",
            "2026-06-01",
        ),
    ],
    ids=[
        "none",
        "standing days",
        "extension",
        "beyond closing",
        "earlier",
        "the later of both",
        "closes later",
    ],
)
def test_the_latest_of_what_was_granted_holds(allowance: Allowance, due: str, closes: str) -> None:
    schedule = Schedule(
        due_at=datetime(2026, 5, 1, 12, tzinfo=UTC), closes_at=datetime(2026, 5, 3, 12, tzinfo=UTC)
    )
    found = deadline_for(schedule, allowance, ZURICH)
    assert found.due_at is not None
    assert found.closes_at is not None
    assert (found.due_at.date().isoformat(), found.closes_at.date().isoformat()) == (due, closes)
    assert found.extended is (due > "2026-05-01")


def test_standing_days_are_calendar_days_across_the_change_of_clocks() -> None:
    schedule = Schedule(due_at=at("2026-03-27T23:59:00", ZURICH).astimezone(UTC))
    found = deadline_for(schedule, Allowance(extra_days=3), ZURICH)
    assert found.due_at == at("2026-03-30T23:59:00", ZURICH)


def test_an_assignment_takes_work_up_to_the_second_in_which_it_closes() -> None:
    closes = datetime(2026, 5, 3, 12, tzinfo=UTC)
    deadline = Deadline(due_at=None, closes_at=closes)
    assert accepts(deadline, closes + timedelta(microseconds=999_999))
    assert not accepts(deadline, closes + SECOND)
    assert accepts(Deadline(due_at=None, closes_at=None), closes + timedelta(days=9999))


@pytest.mark.parametrize(
    "hours, grace, expected",
    [
        (0, 5, Lateness()),
        (1, 0, Lateness(days_late=1, penalty=Fraction(1, 10))),
        (25, 0, Lateness(days_late=2, penalty=Fraction(1, 5))),
        (25, 1, Lateness(days_late=2, grace_days=1, penalty=Fraction(1, 10))),
        (25, 5, Lateness(days_late=2, grace_days=2)),
        (24 * 30, 0, Lateness(days_late=30, penalty=Fraction(1))),
        (24 * 30, 25, Lateness(days_late=30, grace_days=25, penalty=Fraction(1, 2))),
        (24 * 30, 21, Lateness(days_late=30, grace_days=21, penalty=Fraction(9, 10))),
        (24 * 30, 20, Lateness(days_late=30, penalty=Fraction(1))),
    ],
)
def test_grace_days_pay_first_and_no_penalty_takes_more_than_all(
    hours: int, grace: int, expected: Lateness
) -> None:
    assert TENTH.due_at is not None
    schedule = Schedule(
        due_at=TENTH.due_at, late_rule=LateRule.PER_DAY, per_day=Fraction(1, 10), uses_grace=True
    )
    found = judge(
        TENTH.due_at + timedelta(hours=hours),
        deadline=deadline_for(schedule, NO_ALLOWANCE, ZoneInfo("UTC")),
        schedule=schedule,
        zone=ZoneInfo("UTC"),
        grace_days=grace,
    )
    assert found == expected


@pytest.mark.parametrize("rule", list(LateRule))
def test_grace_days_are_kept_where_they_save_nothing(rule: LateRule) -> None:
    assert TENTH.due_at is not None
    schedule = Schedule(due_at=TENTH.due_at, late_rule=rule, per_day=Fraction(1, 10), uses_grace=False)
    found = judge(
        TENTH.due_at + timedelta(hours=1),
        deadline=deadline_for(schedule, NO_ALLOWANCE, ZURICH),
        schedule=schedule,
        zone=ZURICH,
        grace_days=9,
    )
    assert (found.days_late, found.grace_days) == (1, 0)


def test_without_a_deadline_nothing_is_late() -> None:
    deadline = deadline_for(Schedule(), NO_ALLOWANCE, ZURICH)
    received = datetime(2099, 1, 1, tzinfo=UTC)
    assert judge(received, deadline=deadline, schedule=Schedule(), zone=ZURICH) == Lateness()
