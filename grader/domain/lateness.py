"""Deadlines: which one holds for a student, and what handing in after it costs.

Times are compared in UTC, but days are days of the course's calendar: "one day later" is the same time on the
clock of the next day, also where a clock is put forward or back in between.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from fractions import Fraction
from functools import lru_cache
from zoneinfo import ZoneInfo

from grader.domain.scheduling import LateRule, Schedule

_ENOUGH_DAYS = 10_000
"""Nobody is later than this; the search for the day ends here."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Allowance:
    """What one student was granted: an extension of this assignment, a standing accommodation, or both.

    `extra_days` are added to every deadline of the course; of several claims the latest deadline holds.
    """

    due_at: datetime | None = None
    closes_at: datetime | None = None
    extra_days: int = 0


NO_ALLOWANCE = Allowance()


@dataclass(frozen=True, slots=True, kw_only=True)
class Deadline:
    """The deadline that holds for one student. None: there is none."""

    due_at: datetime | None
    closes_at: datetime | None
    extended: bool = False
    """Whether it is later than the assignment's own, because of an allowance."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Lateness:
    """How late a submission was and what that costs.

    `days_late` counts days begun after the deadline; `grace_days` of them were paid with grace days;
    `penalty` is the share of the points earned that is lost, between 0 and 1.
    """

    days_late: int = 0
    grace_days: int = 0
    penalty: Fraction = Fraction(0)


ON_TIME = Lateness()


@lru_cache(maxsize=4096)
def add_days(moment: datetime, days: int, zone: ZoneInfo) -> datetime:
    """The same clock time so many calendar days later, in UTC.

    A time that the clock skips there (put forward in spring) is read as the same distance after the change;
    of one that comes twice (put back in autumn) the later counts: neither costs a student anything.

    >>> add_days(datetime(2026, 3, 28, 12, tzinfo=UTC), 1, ZoneInfo("Europe/Zurich")).isoformat()
    '2026-03-29T11:00:00+00:00'

    Remembered: all who were late for one deadline are held against the same few moments after it.
    """
    local = moment.astimezone(zone).replace(tzinfo=None) + timedelta(days=days)
    return max(local.replace(tzinfo=zone, fold=fold).astimezone(UTC) for fold in (0, 1))


def deadline_for(schedule: Schedule, allowance: Allowance, zone: ZoneInfo) -> Deadline:
    """The deadline that holds for a student: the latest that anything grants.

    An assignment that closes never does so before the student's own deadline.
    """
    if schedule.due_at is None:
        return Deadline(due_at=None, closes_at=_latest(schedule.closes_at, allowance.closes_at))
    due_at = (
        add_days(schedule.due_at, allowance.extra_days, zone) if allowance.extra_days else schedule.due_at
    )
    if allowance.due_at is not None:
        due_at = max(due_at, allowance.due_at)
    closes_at = schedule.closes_at
    if closes_at is not None:
        closes_at = add_days(closes_at, allowance.extra_days, zone) if allowance.extra_days else closes_at
        closes_at = _latest(closes_at, allowance.closes_at, due_at)
    return Deadline(due_at=due_at, closes_at=closes_at, extended=due_at > schedule.due_at)


def accepts(deadline: Deadline, received_at: datetime) -> bool:
    """Whether a submission received then is still taken."""
    return deadline.closes_at is None or _second(received_at) <= deadline.closes_at


def past_due(deadline: Deadline, now: datetime) -> bool:
    """Whether a submission now would be late; without a deadline nothing ever is."""
    return deadline.due_at is not None and _second(now) > deadline.due_at


def days_late(received_at: datetime, due_at: datetime, zone: ZoneInfo) -> int:
    """Days begun after the deadline. A submission in the very second of the deadline is on time.

    >>> due = datetime(2026, 5, 1, 22, tzinfo=UTC)
    >>> [days_late(due + timedelta(hours=late), due, ZoneInfo("UTC")) for late in (0, 1, 24, 25)]
    [0, 1, 1, 2]
    """
    if received_at <= due_at:
        return 0
    second = _second(received_at)
    if second <= due_at:
        return 0
    least = max(1, (second - due_at).days - 1)  # a day lasts 23 to 25 hours: never more than one off
    return next(
        (days for days in range(least, _ENOUGH_DAYS) if second <= add_days(due_at, days, zone)), _ENOUGH_DAYS
    )


def judge(
    received_at: datetime, *, deadline: Deadline, schedule: Schedule, zone: ZoneInfo, grace_days: int = 0
) -> Lateness:
    """How late a submission is, with so many grace days left to pay with.

    Grace days are spent only where they save something: not where all points are lost in spite of them.
    """
    if deadline.due_at is None:
        return ON_TIME
    late = days_late(received_at, deadline.due_at, zone)
    if late == 0:
        return ON_TIME
    if schedule.late_rule is LateRule.NOTHING:
        return Lateness(days_late=late)
    full = _share_lost(schedule, late)
    spent = min(late, grace_days) if schedule.uses_grace else 0
    penalty = _share_lost(schedule, late - spent) if spent else full
    if penalty == full:
        return Lateness(days_late=late, penalty=full)
    return Lateness(days_late=late, grace_days=spent, penalty=penalty)


def _share_lost(schedule: Schedule, days: int) -> Fraction:
    return min(Fraction(1), schedule.per_day * days)


def _second(moment: datetime) -> datetime:
    """Down to the second, which is what deadlines are shown in."""
    return moment.replace(microsecond=0)


def _latest(*moments: datetime | None) -> datetime | None:
    given = [moment for moment in moments if moment is not None]
    return max(given, default=None)
