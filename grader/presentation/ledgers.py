"""The ledger of a deadline in words."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from fractions import Fraction
from zoneinfo import ZoneInfo

from grader.domain.ledger import LedgerKind, LedgerLine
from grader.domain.moments import moment_text
from grader.domain.pricing import Price
from grader.domain.scheduling import Counting, Schedule
from grader.domain.text import listing, one_line
from grader.presentation.words import counted

NOW = "Handing in now is"
THEN = "This submission is"
"""How a price begins, before handing in and on a receipt."""


def ledger_text(line: LedgerLine, zone: ZoneInfo) -> str:
    """One line as a sentence, times on the clock of the course.

    >>> ledger_text(LedgerLine(kind=LedgerKind.GRACE, days=1), ZoneInfo("UTC"))
    '1 day paid with grace days.'
    """
    return SENTENCES[line.kind](
        line, moment_text(line.at, zone, seconds=bool(line.at.second)) if line.at else ""
    )


def price_text(price: Price, schedule: Schedule, *, dearer: Sequence[str] = (), begin: str = NOW) -> str:
    """What a late submission costs, as a sentence or two; empty for one in time. `dearer` are titles.

    >>> from grader.domain.lateness import Lateness
    >>> late = Lateness(days_late=1, grace_days=1)
    >>> price_text(Price(lateness=late, grace_left=2), Schedule(counting=Counting.LAST))
    'Handing in now is 1 day late: it spends 1 of your 2 grace days.'
    """
    late = price.lateness
    if not late.days_late:
        return ""
    days = f"{begin} {counted(late.days_late, 'day')} late"
    costs = [_spent(late.grace_days, price.grace_left)] if late.grace_days else []
    if late.penalty:
        share = "all" if late.penalty == 1 else share_text(late.penalty)
        costs.append(f"costs {share} of the points that it earns")
    if not costs:
        return f"{days}, which costs nothing here."
    others = ""
    if dearer:
        others = (
            f" Those days no longer pay for {listing(dearer)} then, where you lose more points than so far."
        )
    if_it_counts = (
        "" if schedule.counting is Counting.LAST else " Only the submission that counts costs this."
    )
    return f"{days}: it {' and '.join(costs)}.{others}{if_it_counts}"


def _spent(days: int, left: int) -> str:
    if left == 1:
        return "spends your last grace day"
    return f"spends {days} of your {left} grace days"


def share_text(share: Fraction) -> str:
    """A share in per cent.

    >>> share_text(Fraction(1, 10)), share_text(Fraction(1, 3))
    ('10 %', '33.33 %')
    """
    return f"{float(100 * share):.2f}".rstrip("0").rstrip(".") + " %"


def _by(line: LedgerLine) -> str:
    return f" by {one_line(line.by, 80)}" if line.by else ""


def _because(line: LedgerLine) -> str:
    return f", because: {one_line(line.reason, 200).rstrip('.')}" if line.reason else ""


def _received(line: LedgerLine, at: str) -> str:
    late = f"{counted(line.days, 'day')} late (days begun count)" if line.days else "in time"
    return f"Handed in {at}: {late}."


def _standing_days(line: LedgerLine, at: str) -> str:
    return f"Standing accommodation: {counted(line.days, 'day')} more, until {at}."


def _extension(line: LedgerLine, at: str) -> str:
    return f"Extension{_by(line)} until {at}{_because(line)}."


def _penalty(line: LedgerLine, _: str) -> str:
    days = counted(line.days, "day")
    return f"Penalty for {days} late: {share_text(line.share)} of the points earned are lost."


SENTENCES: dict[LedgerKind, Callable[[LedgerLine, str], str]] = {
    LedgerKind.NO_DEADLINE: lambda _, __: "There is no deadline.",
    LedgerKind.DUE: lambda _, at: f"Due {at}.",
    LedgerKind.STANDING_DAYS: _standing_days,
    LedgerKind.EXTENSION: _extension,
    LedgerKind.DEADLINE: lambda _, at: f"The deadline that holds: {at}, the latest of these.",
    LedgerKind.CLOSES: lambda _, at: f"Nothing is taken after {at}.",
    LedgerKind.RECEIVED: _received,
    LedgerKind.NO_PENALTY_RULE: lambda _, __: "Late work loses no points here.",
    LedgerKind.GRACE: lambda line, _: f"{counted(line.days, 'day')} paid with grace days.",
    LedgerKind.PENALTY: _penalty,
}
"""What is said of each kind of line; total, so that no line stays silent."""
