"""What a student has for an assignment: always derived, never typed in.

points = (points of the counting attempt, as adjusted by staff) less what lateness costs.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from fractions import Fraction
from types import MappingProxyType
from typing import NamedTuple, Never
from uuid import UUID
from zoneinfo import ZoneInfo

from grader.domain.lateness import NO_ALLOWANCE, ON_TIME, Allowance, Deadline, Lateness, deadline_for, judge
from grader.domain.scheduling import Counting, Schedule


class GradedWork(NamedTuple):
    """One submission with the points of its counting attempt.

    `earned` and `max_score` are None as long as no attempt has graded it. `adjusted_by` is the sum of what
    staff added or took away. A tuple, as `Standing` is, since a gradebook makes thousands of both: a frozen
    dataclass takes twice as long to make.
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


class Standing(NamedTuple):
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
_NOTHING: Mapping[UUID, Never] = MappingProxyType({})
_NEVER = datetime.max.replace(tzinfo=UTC)


@dataclass(frozen=True, slots=True, kw_only=True)
class AssignmentRules:
    """What work for one assignment is judged by; `deadline` holds for whoever was granted nothing."""

    assignment_id: UUID
    schedule: Schedule
    deadline: Deadline

    def deadline_with(self, allowance: Allowance | None, zone: ZoneInfo) -> Deadline:
        """The deadline of a student who was granted that."""
        return self.deadline if allowance is None else deadline_for(self.schedule, allowance, zone)


@dataclass(frozen=True, slots=True, kw_only=True)
class CourseRules:
    """What standings in a course are judged by: worked out once, however many students there are.

    `assignments` stand in the order in which grace days are spent on them: that of their deadlines.
    """

    assignments: tuple[AssignmentRules, ...]
    zone: ZoneInfo
    grace_days: int

    @classmethod
    def of(cls, schedules: Mapping[UUID, Schedule], *, zone: ZoneInfo, grace_days: int) -> CourseRules:
        """The rules of a course with these assignments, by their ids."""
        rules = (
            AssignmentRules(
                assignment_id=assignment_id,
                schedule=schedule,
                deadline=deadline_for(schedule, NO_ALLOWANCE, zone),
            )
            for assignment_id, schedule in schedules.items()
        )
        return cls(assignments=tuple(sorted(rules, key=_by_deadline)), zone=zone, grace_days=grace_days)

    def standings(
        self,
        handed_in: Mapping[UUID, Sequence[GradedWork]],
        *,
        allowances: Mapping[UUID, Allowance] = _NOTHING,
        chosen: Mapping[UUID, UUID] = _NOTHING,
    ) -> Mapping[UUID, Standing]:
        """A student's standing in every assignment of the course.

        All by the assignment's id: the work handed in, what the student was granted, the submission that they
        marked. What one assignment uses of the grace days, a later one no longer has.
        """
        left = self.grace_days
        found: dict[UUID, Standing] = {}
        for rules in self.assignments:
            work = handed_in.get(rules.assignment_id)
            if not work:
                found[rules.assignment_id] = NOTHING_HANDED_IN
                continue
            # Most students were granted nothing and marked nothing, and hashing an id is slow.
            granted = allowances.get(rules.assignment_id) if allowances else None
            result = found[rules.assignment_id] = standing(
                work,
                schedule=rules.schedule,
                deadline=rules.deadline_with(granted, self.zone),
                zone=self.zone,
                chosen=chosen.get(rules.assignment_id) if chosen else None,
                grace_days=left,
            )
            left -= result.lateness.grace_days
        return found


def standing(
    work: Sequence[GradedWork],
    *,
    schedule: Schedule,
    deadline: Deadline,
    zone: ZoneInfo,
    chosen: UUID | None = None,
    grace_days: int = 0,
) -> Standing:
    """Which submission counts, and for how much, with so many grace days left.

    Work that earned nothing takes none of them: there are no points that they could save.
    """
    if len(work) == 1:
        return _judged(work[0], schedule, deadline, zone, grace_days)
    in_order = sorted(work, key=lambda item: item.number)
    judged = [_judged(item, schedule, deadline, zone, grace_days) for item in in_order]
    return _counting(judged, schedule.counting, chosen) if judged else NOTHING_HANDED_IN


def _judged(
    work: GradedWork, schedule: Schedule, deadline: Deadline, zone: ZoneInfo, grace_days: int
) -> Standing:
    left = 0 if grace_days and work.points == 0 else grace_days
    late = judge(work.received_at, deadline=deadline, schedule=schedule, zone=zone, grace_days=left)
    return Standing(work, late)


def _by_deadline(rules: AssignmentRules) -> tuple[datetime, int]:
    return (rules.schedule.due_at or _NEVER, rules.assignment_id.int)


def _counting(judged: Sequence[Standing], counting: Counting, chosen: UUID | None) -> Standing:
    if counting is Counting.CHOSEN:
        marked = [item for item in judged if item.work is not None and item.work.submission_id == chosen]
        return marked[0] if marked else judged[-1]
    if counting is Counting.LAST:
        return judged[-1]
    # max() keeps the first of equals. What is not graded yet counts less than nothing earned.
    return max(judged, key=lambda item: Fraction(-1) if item.points is None else item.points)
