"""Regrade plans as they stand, and the question whether somebody may see one."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass
from datetime import datetime
from uuid import UUID

from sqlalchemy import ColumnElement, Select, case, func, select
from sqlalchemy.orm import Session

from grader.db import models
from grader.db.database import Database
from grader.domain.attempts import FINAL_STATES, STATES_FOR_STAFF, AttemptState
from grader.domain.errors import NotFound
from grader.domain.reviewing import PlanState
from grader.services.access import Actor, Seat, assignment_in, seat_in


@dataclass(frozen=True, slots=True, kw_only=True)
class PlanProgress:
    """How far a plan's attempts are; `failed` ended without a grade, and change nothing."""

    total: int = 0
    done: int = 0
    failed: int = 0

    @property
    def complete(self) -> bool:
        return self.done == self.total


@dataclass(frozen=True, slots=True, kw_only=True)
class PlanView:
    """A plan as lists show it; `version` is what a decision on it has to name."""

    id: UUID
    assignment_id: UUID
    assignment: str
    assignment_version: int
    reason: str
    state: PlanState
    progress: PlanProgress
    created_by: str | None
    created_at: datetime
    applied_at: datetime | None
    undone_at: datetime | None
    version: int

    @property
    def can_apply(self) -> bool:
        return self.state in (PlanState.READY, PlanState.UNDONE) and self.progress.complete

    @property
    def can_undo(self) -> bool:
        return self.state is PlanState.APPLIED

    @property
    def can_discard(self) -> bool:
        return self.state in (PlanState.RUNNING, PlanState.READY, PlanState.UNDONE)


def plans(database: Database, *, actor: Actor, course: str, slug: str) -> tuple[PlanView, ...]:
    """An assignment's plans, newest first, for staff."""
    with database.reading() as session:
        seat = seat_in(session, course=course, user_id=actor.user_id).require_staff()
        assignment = assignment_in(session, seat, slug=slug, now=database.now(session))
        rows = session.execute(
            _plans()
            .where(models.RegradePlan.assignment_id == assignment.id)
            .order_by(models.RegradePlan.created_at.desc())
        ).all()
        progress = _progress(session, [row[0].id for row in rows])
        return tuple(_view(*row, progress=progress.get(row[0].id, PlanProgress())) for row in rows)


def plan(database: Database, *, actor: Actor, course: str, slug: str, plan_id: UUID) -> PlanView:
    """One plan, for staff; NotFound if the assignment has none of that id."""
    with database.reading() as session:
        return plan_in(session, staff_seat(session, actor=actor, course=course), slug=slug, plan_id=plan_id)


def staff_seat(session: Session, *, actor: Actor, course: str) -> Seat:
    """The actor's seat, which must be a staff member's."""
    return seat_in(session, course=course, user_id=actor.user_id).require_staff()


def plan_in(session: Session, seat: Seat, *, slug: str, plan_id: UUID) -> PlanView:
    """One plan of the seat's course."""
    row = session.execute(
        _plans().where(
            models.RegradePlan.id == plan_id,
            models.Assignment.course_id == seat.course_id,
            models.Assignment.slug == slug,
        )
    ).one_or_none()
    if row is None:
        raise NotFound("regrade plan", str(plan_id))
    return _view(*row, progress=_progress(session, [plan_id]).get(plan_id, PlanProgress()))


def _plans() -> Select[models.RegradePlan, models.Assignment, int, str]:
    return (
        select(models.RegradePlan, models.Assignment, models.AssignmentVersion.number, models.User.name)
        .join(models.Assignment, models.Assignment.id == models.RegradePlan.assignment_id)
        .join(models.AssignmentVersion, models.AssignmentVersion.id == models.RegradePlan.version_id)
        .outerjoin(models.User, models.User.id == models.RegradePlan.created_by)
    )


def _progress(session: Session, plan_ids: list[UUID]) -> Mapping[UUID, PlanProgress]:
    rows = session.execute(
        select(
            models.RegradeItem.plan_id,
            func.count(),
            _counted(FINAL_STATES),
            _counted(STATES_FOR_STAFF),
        )
        .join(models.Attempt, models.Attempt.id == models.RegradeItem.attempt_id)
        .where(models.RegradeItem.plan_id.in_(plan_ids))
        .group_by(models.RegradeItem.plan_id)
    )
    return {
        plan_id: PlanProgress(total=total, done=int(done), failed=int(failed))
        for plan_id, total, done, failed in rows
    }


def _counted(states: Collection[AttemptState]) -> ColumnElement[int]:
    return func.sum(case((models.Attempt.state.in_(states), 1), else_=0))


def _view(
    row: models.RegradePlan, assignment: models.Assignment, number: int, by: str, *, progress: PlanProgress
) -> PlanView:
    # Nobody has to be told that the last attempt has ended: a running plan whose attempts are done is ready.
    ready = row.state is PlanState.RUNNING and progress.complete
    return PlanView(
        id=row.id,
        assignment_id=assignment.id,
        assignment=assignment.slug,
        assignment_version=number,
        reason=row.reason,
        state=PlanState.READY if ready else row.state,
        progress=progress,
        created_by=by,
        created_at=row.created_at,
        applied_at=row.applied_at,
        undone_at=row.undone_at,
        version=row.version,
    )
