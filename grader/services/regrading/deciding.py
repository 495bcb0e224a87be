"""Deciding on a plan: applied, undone or discarded, each by one compare-and-set of one row."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime
from uuid import UUID

from sqlalchemy import select, update
from sqlalchemy.orm import Session

from grader.db import models
from grader.db.database import Database
from grader.domain.attempts import AttemptState
from grader.domain.errors import Conflict
from grader.domain.reviewing import PlanState
from grader.services.access import Actor, seat_in
from grader.services.auditing import Action, Subject, record
from grader.services.editing import change
from grader.services.regrading.plans import PlanView, plan_in

DISCARDED = "its regrade plan was discarded before it ran"


@dataclass(frozen=True, slots=True, kw_only=True)
class _Decision:
    action: Action
    allowed: Callable[[PlanView], bool]
    refusal: Callable[[PlanView], str]
    values: Callable[[datetime], dict[str, object]]


_APPLY = _Decision(
    action=Action.REGRADE_APPLIED,
    allowed=lambda plan: plan.can_apply,
    refusal=lambda plan: (
        f"{plan.progress.total - plan.progress.done} of its attempts are not graded yet. Wait for them."
        if not plan.progress.complete
        else f"this plan is {plan.state.value}."
    ),
    values=lambda now: {"state": PlanState.APPLIED, "applied_at": now, "undone_at": None},
)
_UNDO = _Decision(
    action=Action.REGRADE_UNDONE,
    allowed=lambda plan: plan.can_undo,
    refusal=lambda plan: f"this plan is {plan.state.value}, so there is nothing to undo.",
    values=lambda now: {"state": PlanState.UNDONE, "undone_at": now},
)
_DISCARD = _Decision(
    action=Action.REGRADE_DISCARDED,
    allowed=lambda plan: plan.can_discard,
    refusal=lambda plan: f"this plan is {plan.state.value}. Undo it before you discard it.",
    values=lambda _: {"state": PlanState.DISCARDED},
)


def apply_plan(
    database: Database, *, actor: Actor, course: str, slug: str, plan_id: UUID, seen: int
) -> PlanView:
    """Let the plan's attempts count, all at once; those that ended without a grade change nothing.

    Adjustments stay as they are, and an attempt that was made after the plan's keeps counting.
    """
    return _decide(database, _APPLY, actor=actor, course=course, slug=slug, plan_id=plan_id, seen=seen)


def undo_plan(
    database: Database, *, actor: Actor, course: str, slug: str, plan_id: UUID, seen: int
) -> PlanView:
    """Let what counted before the plan count again; it may be applied once more."""
    return _decide(database, _UNDO, actor=actor, course=course, slug=slug, plan_id=plan_id, seen=seen)


def discard_plan(
    database: Database, *, actor: Actor, course: str, slug: str, plan_id: UUID, seen: int
) -> PlanView:
    """Put a plan aside for good. Its attempts that have not begun are not run."""
    return _decide(database, _DISCARD, actor=actor, course=course, slug=slug, plan_id=plan_id, seen=seen)


def _decide(
    database: Database,
    decision: _Decision,
    *,
    actor: Actor,
    course: str,
    slug: str,
    plan_id: UUID,
    seen: int,
) -> PlanView:
    with database.writing() as session:
        now = database.now(session)
        seat = seat_in(session, course=course, user_id=actor.user_id).require_instructor()
        found = plan_in(session, seat, slug=slug, plan_id=plan_id)
        if found.version == seen and not decision.allowed(found):
            raise Conflict(decision.refusal(found))
        change(
            session,
            models.RegradePlan,
            models.RegradePlan.id == plan_id,
            what="The regrade plan",
            seen=seen,
            values=decision.values(now),
        )
        if decision is _DISCARD:
            _cancel(session, plan_id, now=now)
        record(
            session,
            decision.action,
            subject=Subject.REGRADE_PLAN,
            subject_id=plan_id,
            at=now,
            actor_id=actor.user_id,
        )
        session.expire_all()
        return plan_in(session, seat, slug=slug, plan_id=plan_id)


def _cancel(session: Session, plan_id: UUID, *, now: datetime) -> None:
    attempts = select(models.RegradeItem.attempt_id).where(models.RegradeItem.plan_id == plan_id)
    session.execute(
        update(models.Attempt)
        .where(models.Attempt.id.in_(attempts), models.Attempt.state == AttemptState.QUEUED)
        .values(state=AttemptState.NOT_GRADED, finished_at=now, failure_reason=DISCARDED),
        execution_options={"synchronize_session": False},
    )
