"""What a student has for an assignment: always derived, never typed in.

points = (points of the counting attempt, as adjusted by staff) less what lateness costs.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from fractions import Fraction
from uuid import UUID
from zoneinfo import ZoneInfo

from grader.domain.lateness import NO_ALLOWANCE, ON_TIME, Allowance, Lateness, deadline_for, judge
from grader.domain.scheduling import Counting, Schedule


@dataclass(frozen=True, slots=True, kw_only=True)
class GradedWork:
    """One submission with the points of its counting attempt.

    `earned` and `max_score` are None as long as no attempt has graded it. `adjusted_by` is the sum of what
    staff added or took away.
    """

    submission_id: UUID
    number: int
    received_at: datetime
    earned: Fraction | None
    max_score: Fraction | None
    adjusted_by: Fraction = Fraction(0)

    @property
    def points(self) -> Fraction | None:
        """Points before lateness; adjustments never make them negative."""
        if self.earned is None or not self.adjusted_by:
            return self.earned
        return max(Fraction(0), self.earned + self.adjusted_by)


@dataclass(frozen=True, slots=True, kw_only=True)
class Standing:
    """What counts for one student and assignment; everything is None where nothing was handed in."""

    work: GradedWork | None = None
    lateness: Lateness = ON_TIME

    @property
    def points(self) -> Fraction | None:
        """Points that count; None without a graded submission."""
        points = None if self.work is None else self.work.points
        if points is None or not self.lateness.penalty:
            return points
        return points * (1 - self.lateness.penalty)


NOTHING_HANDED_IN = Standing()
_NEVER = datetime.max.replace(tzinfo=UTC)


def standing(
    work: Sequence[GradedWork],
    *,
    schedule: Schedule,
    zone: ZoneInfo,
    allowance: Allowance = NO_ALLOWANCE,
    chosen: UUID | None = None,
    grace_days: int = 0,
) -> Standing:
    """Which submission counts, and for how much, with so many grace days left.

    Work that earned nothing takes none of them: there are no points that they could save.
    """
    if not work:
        return NOTHING_HANDED_IN
    deadline = deadline_for(schedule, allowance, zone)
    judged = [
        Standing(
            work=item,
            lateness=judge(
                item.received_at,
                deadline=deadline,
                schedule=schedule,
                zone=zone,
                grace_days=0 if item.points == 0 else grace_days,
            ),
        )
        for item in (work if len(work) == 1 else sorted(work, key=lambda item: item.number))
    ]
    return _counting(judged, schedule.counting, chosen)


@dataclass(frozen=True, slots=True, kw_only=True)
class AssignmentWork:
    """Everything that a student's standing in one assignment depends on."""

    assignment_id: UUID
    schedule: Schedule
    work: Sequence[GradedWork]
    allowance: Allowance = NO_ALLOWANCE
    chosen: UUID | None = None


def standings(
    assignments: Sequence[AssignmentWork], *, zone: ZoneInfo, grace_days: int
) -> Mapping[UUID, Standing]:
    """A student's standing in every assignment of a course.

    The course's grace days are spent in the order of the deadlines: what one assignment uses, a later one no
    longer has.
    """
    left = grace_days
    found: dict[UUID, Standing] = {}
    for item in sorted(assignments, key=_by_deadline):
        result = standing(
            item.work,
            schedule=item.schedule,
            zone=zone,
            allowance=item.allowance,
            chosen=item.chosen,
            grace_days=left,
        )
        left -= result.lateness.grace_days
        found[item.assignment_id] = result
    return found


def _by_deadline(item: AssignmentWork) -> tuple[datetime, int]:
    return (item.schedule.due_at or _NEVER, item.assignment_id.int)


def _counting(judged: Sequence[Standing], counting: Counting, chosen: UUID | None) -> Standing:
    if len(judged) == 1:
        return judged[0]
    if counting is Counting.CHOSEN:
        marked = [item for item in judged if item.work is not None and item.work.submission_id == chosen]
        return marked[0] if marked else judged[-1]
    if counting is Counting.LAST:
        return judged[-1]
    # max() keeps the first of equals. What is not graded yet counts less than nothing earned.
    return max(judged, key=lambda item: Fraction(-1) if item.points is None else item.points)
