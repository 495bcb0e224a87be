"""Reading dates and rules: the schedule of an assignment and what each student was granted beyond it."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from uuid import UUID

from sqlalchemy import select
from sqlalchemy.orm import Session

from grader.db import models
from grader.domain.lateness import NO_ALLOWANCE, Allowance
from grader.domain.scheduling import Schedule

UNSCHEDULED = Schedule()
"""What holds for an assignment whose dates nobody has set: open, without a deadline."""


def schedule_of(session: Session, assignment_id: UUID) -> Schedule:
    """The schedule of one assignment."""
    row = session.get(models.AssignmentSchedule, assignment_id)
    return UNSCHEDULED if row is None else to_schedule(row)


def schedules_of(session: Session, assignment_ids: Iterable[UUID]) -> Mapping[UUID, Schedule]:
    """The schedules of several assignments, in one query."""
    wanted = tuple(assignment_ids)
    rows = session.scalars(
        select(models.AssignmentSchedule).where(models.AssignmentSchedule.assignment_id.in_(wanted))
    )
    found = {row.assignment_id: to_schedule(row) for row in rows}
    return {assignment_id: found.get(assignment_id, UNSCHEDULED) for assignment_id in wanted}


@dataclass(frozen=True, slots=True, kw_only=True)
class Allowances:
    """What was granted in a course: extensions by student and assignment, standing extra days by student."""

    extensions: Mapping[UUID, Mapping[UUID, models.Extension]]
    extra_days: Mapping[UUID, int]

    def of(self, *, assignment_id: UUID, user_id: UUID) -> Allowance:
        """What one student was granted for one assignment."""
        return self.to(user_id, assignment_ids=[assignment_id]).get(assignment_id, NO_ALLOWANCE)

    def to(self, user_id: UUID, *, assignment_ids: Iterable[UUID]) -> Mapping[UUID, Allowance]:
        """What one student was granted, by assignment; where that is nothing, there is no entry."""
        days = self.extra_days.get(user_id, 0)
        extensions = self.extensions.get(user_id, {})
        if not days and not extensions:
            return {}
        always = {assignment_id: Allowance(extra_days=days) for assignment_id in assignment_ids if days}
        return always | {
            assignment_id: Allowance(due_at=row.due_at, closes_at=row.closes_at, extra_days=days)
            for assignment_id, row in extensions.items()
        }


def allowances_in(session: Session, *, course_id: UUID, user_id: UUID | None = None) -> Allowances:
    """What was granted in a course, in two queries; with `user_id` only what that student was."""
    query = (
        select(models.Extension)
        .join(models.Assignment, models.Assignment.id == models.Extension.assignment_id)
        .where(models.Assignment.course_id == course_id, models.Extension.revoked_at.is_(None))
        .order_by(models.Extension.granted_at)
    )
    if user_id is not None:
        query = query.where(models.Extension.user_id == user_id)
    # Of several for one student the newest holds: it comes last.
    extensions: dict[UUID, dict[UUID, models.Extension]] = defaultdict(dict)
    for row in session.scalars(query):
        extensions[row.user_id][row.assignment_id] = row
    extra = _extra_days(session, course_id=course_id, user_id=user_id)
    return Allowances(extensions=extensions, extra_days=extra)


def _extra_days(session: Session, *, course_id: UUID, user_id: UUID | None) -> Mapping[UUID, int]:
    query = select(models.RosterEntry.user_id, models.RosterEntry.extra_days).where(
        models.RosterEntry.course_id == course_id, models.RosterEntry.extra_days != 0
    )
    if user_id is not None:
        query = query.where(models.RosterEntry.user_id == user_id)
    return {row.user_id: row.extra_days for row in session.execute(query)}


def to_schedule(row: models.AssignmentSchedule) -> Schedule:
    """The row as a value that outlives its session."""
    return Schedule(
        draft=row.draft,
        opens_at=row.opens_at,
        due_at=row.due_at,
        closes_at=row.closes_at,
        late_rule=row.late_rule,
        per_day=row.per_day,
        uses_grace=row.uses_grace,
        submission_limit=row.submission_limit,
        cooldown_s=row.cooldown_s,
        counting=row.counting,
        released_at=row.released_at,
    )
