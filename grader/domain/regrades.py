"""What a regrade plan would change: who, by how much, in which checks, and why."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from fractions import Fraction

from grader.domain.verdicts import Verdict


class Which(StrEnum):
    """Which submissions a plan grades again."""

    COUNTING = "counting"
    """For each student the one that counts."""
    ALL = "all"


@dataclass(frozen=True, slots=True, kw_only=True)
class Selection:
    """Submissions for a plan.

    With `check_id` only those whose counting attempt has that check, with one of `verdicts` if there are any.
    """

    which: Which = Which.COUNTING
    check_id: str | None = None
    verdicts: frozenset[Verdict] = frozenset()


class Cause(StrEnum):
    """Why a check brings other points than before."""

    VERDICT = "verdict"
    """It was judged differently."""
    WORTH = "worth"
    """It is worth other points in this version of the assignment."""
    ADDED = "added"
    """The version before did not have it."""
    REMOVED = "removed"
    """This version no longer has it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class JudgedCheck:
    """One check of one attempt, as tables keep it; `earned` None means not graded."""

    check_id: str
    verdict: Verdict
    points: Fraction
    earned: Fraction | None
    code: str | None
    line: int | None


@dataclass(frozen=True, slots=True, kw_only=True)
class CheckChange:
    """A check that differs between two attempts; the side where it does not exist is None."""

    check_id: str
    cause: Cause
    before: JudgedCheck | None
    after: JudgedCheck | None

    @property
    def delta(self) -> Fraction:
        """Points more (or fewer) than before."""
        return _earned(self.after) - _earned(self.before)


def compare(before: dict[str, JudgedCheck], after: dict[str, JudgedCheck]) -> tuple[CheckChange, ...]:
    """The checks that differ in verdict, worth or existence, in the order of the later attempt."""
    removed = [check for check in before if check not in after]
    found = []
    for check_id in [*after, *removed]:
        old, new = before.get(check_id), after.get(check_id)
        cause = _cause(old, new)
        if cause is not None:
            found.append(CheckChange(check_id=check_id, cause=cause, before=old, after=new))
    return tuple(found)


def _cause(before: JudgedCheck | None, after: JudgedCheck | None) -> Cause | None:
    if before is None:
        return Cause.ADDED
    if after is None:
        return Cause.REMOVED
    if before.verdict is not after.verdict:
        return Cause.VERDICT
    return Cause.WORTH if before.points != after.points else None


def _earned(check: JudgedCheck | None) -> Fraction:
    return Fraction(0) if check is None or check.earned is None else check.earned
