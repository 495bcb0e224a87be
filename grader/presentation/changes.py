"""Points that staff changed and regrades that were asked for, as a report tells of them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from fractions import Fraction

from grader.presentation.words import points_text


@dataclass(frozen=True, slots=True, kw_only=True)
class Change:
    """A change of points: of one check to `points`, or (no `about`) of the whole by `points`.

    `check_id` is given where the check may be named; `ended` says why the change holds no more.
    """

    about: str
    points: Fraction
    reason: str
    byline: str
    sets: bool
    check_id: str | None = None
    ended: str = ""

    @property
    def words(self) -> str:
        """Such as "set to 1" and "+2"."""
        if self.sets:
            return f"set to {points_text(self.points)}"
        return f"{'+' if self.points > 0 else ''}{points_text(self.points)}"


@dataclass(frozen=True, slots=True, kw_only=True)
class Request:
    """A request for a regrade; `answer` and who gave it are empty until there is one."""

    about: str
    text: str
    state: str
    answer: str = ""
    answered_by: str = ""


def set_points(changes: Iterable[Change]) -> Mapping[str, Fraction]:
    """By check, what staff set it to; of several the last one holds."""
    return {item.check_id: item.points for item in changes if item.sets and item.check_id and not item.ended}
