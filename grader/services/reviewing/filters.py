"""What a review queue can be asked for, and in which order it comes."""

from __future__ import annotations

from dataclasses import dataclass, fields
from enum import StrEnum

from grader.domain.verdicts import Family, Verdict


class Order(StrEnum):
    """The fixed list of orders. Blind reading has its own: shuffled, the same for a reader each time."""

    OLDEST = "oldest"
    NEWEST = "newest"
    NAME = "name"
    FEWEST_POINTS = "fewest_points"
    REQUESTS = "requests"
    """Open regrade requests first, the longest waiting at the top."""
    SHUFFLED = "shuffled"


class Reviewed(StrEnum):
    """Whether staff have marked a submission as looked at."""

    YES = "yes"
    NO = "no"


@dataclass(frozen=True, slots=True, kw_only=True)
class QueueFilter:
    """Which submissions to list; what is None or False does not restrict.

    `criterion`, `family`, `verdict` and `code` are about one and the same check of the attempt that counts;
    without a verdict any but *passed* is meant. `every`: also submissions that a later one has followed.
    """

    assignment: str | None = None
    section: str | None = None
    criterion: str | None = None
    family: Family | None = None
    verdict: Verdict | None = None
    code: str | None = None
    flagged: bool = False
    requested: bool = False
    needs_staff: bool = False
    reviewed: Reviewed | None = None
    every: bool = False

    @property
    def narrows(self) -> bool:
        """Whether it leaves anything out that is not left out anyway."""
        return any(getattr(self, field.name) for field in fields(self) if field.name != "every")

    @property
    def about_checks(self) -> bool:
        """Whether it asks for what single checks found."""
        return any(
            item is not None and item != "" for item in (self.criterion, self.family, self.verdict, self.code)
        )
