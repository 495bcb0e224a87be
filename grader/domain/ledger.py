"""How a deadline, and the price of missing it, came about: line by line, so that nobody has to ask.

A ledger holds facts, not sentences; pages, receipts and the command line put them into words.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum
from fractions import Fraction
from zoneinfo import ZoneInfo

from grader.domain.lateness import Allowance, Deadline, Lateness, add_days, deadline_for
from grader.domain.scheduling import LateRule, Schedule


class LedgerKind(StrEnum):
    """What a line of the ledger tells."""

    NO_DEADLINE = "no_deadline"
    DUE = "due"
    """The assignment's own deadline (`at`)."""
    STANDING_DAYS = "standing_days"
    """A standing accommodation: `days` more, until `at`."""
    EXTENSION = "extension"
    """An extension until `at`, granted `by` somebody for a `reason`."""
    DEADLINE = "deadline"
    """The deadline that holds after all this (`at`)."""
    CLOSES = "closes"
    """Nothing is taken after `at`."""
    RECEIVED = "received"
    """Handed in at `at`, so many `days` late (0: in time)."""
    NO_PENALTY_RULE = "no_penalty_rule"
    """Late work loses nothing here."""
    GRACE = "grace"
    """So many `days` were paid with grace days."""
    PENALTY = "penalty"
    """The `share` of the points that the remaining `days` cost."""


@dataclass(frozen=True, slots=True, kw_only=True)
class LedgerLine:
    """One fact; which fields are set depends on its kind."""

    kind: LedgerKind
    at: datetime | None = None
    days: int = 0
    share: Fraction = Fraction(0)
    by: str | None = None
    reason: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class GrantedBy:
    """Who granted an extension, and why."""

    name: str | None
    reason: str


def deadline_ledger(
    schedule: Schedule, allowance: Allowance, zone: ZoneInfo, *, granted: GrantedBy | None = None
) -> tuple[LedgerLine, ...]:
    """How a student's deadline came about."""
    deadline = deadline_for(schedule, allowance, zone)
    return (*_due(schedule, allowance, deadline, zone, granted), *_closes(deadline))


def lateness_ledger(received_at: datetime, *, schedule: Schedule, late: Lateness) -> tuple[LedgerLine, ...]:
    """What handing in at that time cost."""
    lines = [LedgerLine(kind=LedgerKind.RECEIVED, at=received_at, days=late.days_late)]
    if late.days_late == 0:
        return tuple(lines)
    if schedule.late_rule is LateRule.NOTHING:
        return (*lines, LedgerLine(kind=LedgerKind.NO_PENALTY_RULE))
    if late.grace_days:
        lines.append(LedgerLine(kind=LedgerKind.GRACE, days=late.grace_days))
    if (left := late.days_late - late.grace_days) > 0:
        lines.append(LedgerLine(kind=LedgerKind.PENALTY, days=left, share=late.penalty))
    return tuple(lines)


def _due(
    schedule: Schedule,
    allowance: Allowance,
    deadline: Deadline,
    zone: ZoneInfo,
    granted: GrantedBy | None,
) -> tuple[LedgerLine, ...]:
    if schedule.due_at is None or deadline.due_at is None:
        return (LedgerLine(kind=LedgerKind.NO_DEADLINE),)
    lines = [LedgerLine(kind=LedgerKind.DUE, at=schedule.due_at)]
    if allowance.extra_days:
        lines.append(
            LedgerLine(
                kind=LedgerKind.STANDING_DAYS,
                days=allowance.extra_days,
                at=add_days(schedule.due_at, allowance.extra_days, zone),
            )
        )
    if allowance.due_at is not None:
        lines.append(
            LedgerLine(
                kind=LedgerKind.EXTENSION,
                at=allowance.due_at,
                by=granted.name if granted else None,
                reason=granted.reason if granted else None,
            )
        )
    if len(lines) > 1:
        lines.append(LedgerLine(kind=LedgerKind.DEADLINE, at=deadline.due_at))
    return tuple(lines)


def _closes(deadline: Deadline) -> tuple[LedgerLine, ...]:
    if deadline.closes_at is None:
        return ()
    return (LedgerLine(kind=LedgerKind.CLOSES, at=deadline.closes_at),)
