from __future__ import annotations

from datetime import UTC, datetime
from fractions import Fraction

import pytest

from grader.domain.lateness import Lateness
from grader.domain.ledger import LedgerKind, lateness_ledger
from grader.domain.scheduling import LateRule, Schedule

TENTH = Schedule(late_rule=LateRule.PER_DAY, per_day=Fraction(1, 10), uses_grace=True)
RECEIVED_AT = datetime(2026, 5, 3, 12, tzinfo=UTC)


@pytest.mark.parametrize(
    "grace_days, kinds",
    [
        (0, [LedgerKind.RECEIVED, LedgerKind.PENALTY]),
        (1, [LedgerKind.RECEIVED, LedgerKind.GRACE, LedgerKind.PENALTY]),
        (2, [LedgerKind.RECEIVED, LedgerKind.GRACE]),
    ],
)
def test_a_penalty_is_told_for_the_days_that_grace_has_not_paid(
    grace_days: int, kinds: list[LedgerKind]
) -> None:
    late = Lateness(days_late=2, grace_days=grace_days, penalty=Fraction(2 - grace_days, 10))
    lines = lateness_ledger(RECEIVED_AT, schedule=TENTH, late=late)
    assert [line.kind for line in lines] == kinds
