"""What a deadline costs, in words."""

from __future__ import annotations

from fractions import Fraction

import pytest

from grader.domain.lateness import Lateness
from grader.domain.pricing import Price
from grader.domain.scheduling import Counting, Schedule
from grader.presentation.ledgers import THEN, price_text

LAST = Schedule(counting=Counting.LAST)
BOTH = "it spends 2 of your 2 grace days and costs 5 % of the points that it earns."


@pytest.mark.parametrize(
    "late, left, expected",
    [
        (Lateness(), 2, ""),
        (Lateness(days_late=2), 2, "Handing in now is 2 days late, which costs nothing here."),
        (
            Lateness(days_late=1, grace_days=1),
            2,
            "Handing in now is 1 day late: it spends 1 of your 2 grace days.",
        ),
        (
            Lateness(days_late=1, grace_days=1),
            1,
            "Handing in now is 1 day late: it spends your last grace day.",
        ),
        (
            Lateness(days_late=1, penalty=Fraction(1, 10)),
            0,
            "Handing in now is 1 day late: it costs 10 % of the points that it earns.",
        ),
        (
            Lateness(days_late=3, grace_days=2, penalty=Fraction(1, 20)),
            2,
            "Handing in now is 3 days late: " + BOTH,
        ),
        (
            Lateness(days_late=12, penalty=Fraction(1)),
            2,
            "Handing in now is 12 days late: it costs all of the points that it earns.",
        ),
    ],
)
def test_a_price_is_told(late: Lateness, left: int, expected: str) -> None:
    assert price_text(Price(lateness=late, grace_left=left), LAST) == expected


def test_where_not_every_submission_counts_the_price_says_so() -> None:
    price = Price(lateness=Lateness(days_late=1, grace_days=1), grace_left=1)
    told = price_text(price, Schedule(counting=Counting.BEST), begin=THEN)
    assert told.startswith("This submission is 1 day late")
    assert told.endswith("Only the submission that counts costs this.")


def test_other_assignments_that_lose_their_grace_days_are_named() -> None:
    price = Price(lateness=Lateness(days_late=1, grace_days=1), grace_left=1)
    assert "no longer pay for Scans then" in price_text(price, LAST, dearer=["Scans"])
