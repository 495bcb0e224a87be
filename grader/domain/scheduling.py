"""When an assignment is open, what late work costs, how often one may hand in, which submission counts."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum
from fractions import Fraction


class LateRule(StrEnum):
    """What a submission after its deadline loses, as long as the assignment has not closed."""

    NOTHING = "nothing"
    PER_DAY = "per_day"
    """A share of the points earned for every day begun."""


class Counting(StrEnum):
    """Which of a student's submissions counts."""

    BEST = "best"
    """The one that brings most after lateness; of equals, the earliest."""
    LAST = "last"
    CHOSEN = "chosen"
    """The one the student has marked; the last, as long as none is."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Schedule:
    """An assignment's dates (UTC) and rules. What is None does not restrict.

    `draft`: students do not see that it exists. `per_day` is the share of the points earned that a day begun
    costs (1/10 for ten per cent). `uses_grace`: lateness is first paid with the course's grace days.
    """

    draft: bool = False
    opens_at: datetime | None = None
    due_at: datetime | None = None
    closes_at: datetime | None = None
    late_rule: LateRule = LateRule.NOTHING
    per_day: Fraction = Fraction(0)
    uses_grace: bool = False
    submission_limit: int | None = None
    cooldown_s: int = 0
    counting: Counting = Counting.BEST
    released_at: datetime | None = None

    def visible_to_students(self, now: datetime) -> bool:
        """Whether it exists for students."""
        return not self.draft and (self.opens_at is None or now >= self.opens_at)

    def released(self, now: datetime) -> bool:
        """Whether grades have been released."""
        return self.released_at is not None and now >= self.released_at
