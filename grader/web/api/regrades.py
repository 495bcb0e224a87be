"""Regrade plans: made, looked at, applied, undone, discarded."""

from __future__ import annotations

from datetime import datetime
from typing import Any
from uuid import UUID

from fastapi import APIRouter
from pydantic import Field

from grader.domain.regrades import CheckChange, JudgedCheck, Selection, Which
from grader.domain.reviewing import PlanState
from grader.domain.verdicts import Verdict
from grader.services.regrading.comparing import PlanChanges, RegradeRow, plan_changes
from grader.services.regrading.deciding import apply_plan, discard_plan, undo_plan
from grader.services.regrading.planning import LONGEST_REASON, make_plan
from grader.services.regrading.plans import plans
from grader.web.addresses import AssignmentSlug, CourseSlug
from grader.web.api.scheduling import Seen
from grader.web.api.schemas import Answer, Body
from grader.web.dependencies import CurrentActor, Db, Web
from grader.web.numbers import points

router = APIRouter(tags=["regrades"], prefix="/courses/{course}/assignments/{slug}/regrades")


class PlanWanted(Body):
    """Which submissions are to be graded again, why, and against which version (null: the newest)."""

    reason: str = Field(min_length=1, max_length=LONGEST_REASON)
    which: Which = Which.COUNTING
    check_id: str | None = Field(default=None, max_length=300)
    verdicts: list[Verdict] = Field(default=[], max_length=len(Verdict))
    assignment_version: int | None = Field(default=None, ge=1, le=1_000_000)

    def selection(self) -> Selection:
        """As services take it."""
        return Selection(which=self.which, check_id=self.check_id, verdicts=frozenset(self.verdicts))


class Progress(Answer):
    """How far a plan's attempts are."""

    total: int
    done: int
    failed: int


class Plan(Answer):
    """A plan; `version` is what a decision on it has to name."""

    id: UUID
    assignment: str
    assignment_version: int
    reason: str
    state: PlanState
    progress: Progress
    created_by: str | None
    created_at: datetime
    applied_at: datetime | None
    undone_at: datetime | None
    version: int


@router.get("")
def all_plans(actor: CurrentActor, database: Db, course: CourseSlug, slug: AssignmentSlug) -> list[Plan]:
    """The plans of an assignment, newest first."""
    return [Plan.model_validate(item) for item in plans(database, actor=actor, course=course, slug=slug)]


@router.post("", status_code=201)
def make(actor: CurrentActor, web: Web, course: CourseSlug, slug: AssignmentSlug, body: PlanWanted) -> Plan:
    """Plan a regrade; nothing counts before it is applied."""
    made = make_plan(
        web.database,
        actor=actor,
        course=course,
        slug=slug,
        selection=body.selection(),
        reason=body.reason,
        secret=web.secret,
        version=body.assignment_version,
    )
    return Plan.model_validate(made)


@router.get("/{plan_id}", response_model=None)
def changes(
    actor: CurrentActor, database: Db, course: CourseSlug, slug: AssignmentSlug, plan_id: UUID
) -> dict[str, Any]:
    """A plan with what it changes: who, by how much, in which checks and why."""
    return changes_json(plan_changes(database, actor=actor, course=course, slug=slug, plan_id=plan_id))


@router.post("/{plan_id}/apply")
def apply_one(
    actor: CurrentActor, database: Db, course: CourseSlug, slug: AssignmentSlug, plan_id: UUID, body: Seen
) -> Plan:
    """Let a plan's attempts count."""
    done = apply_plan(database, actor=actor, course=course, slug=slug, plan_id=plan_id, seen=body.version)
    return Plan.model_validate(done)


@router.post("/{plan_id}/undo")
def undo_one(
    actor: CurrentActor, database: Db, course: CourseSlug, slug: AssignmentSlug, plan_id: UUID, body: Seen
) -> Plan:
    """Let what counted before a plan count again."""
    done = undo_plan(database, actor=actor, course=course, slug=slug, plan_id=plan_id, seen=body.version)
    return Plan.model_validate(done)


@router.post("/{plan_id}/discard")
def discard_one(
    actor: CurrentActor, database: Db, course: CourseSlug, slug: AssignmentSlug, plan_id: UUID, body: Seen
) -> Plan:
    """Put a plan aside for good."""
    done = discard_plan(database, actor=actor, course=course, slug=slug, plan_id=plan_id, seen=body.version)
    return Plan.model_validate(done)


def changes_json(found: PlanChanges) -> dict[str, Any]:
    """A plan and its changes for programs."""
    return {
        "plan": Plan.model_validate(found.plan).model_dump(mode="json"),
        "up": found.up,
        "down": found.down,
        "worth": [
            {"before": points(item.before), "after": points(item.after), "submissions": item.submissions}
            for item in found.worth
        ],
        "rows": [_row(row) for row in found.rows],
    }


def _row(row: RegradeRow) -> dict[str, Any]:
    return {
        "submission_id": str(row.submission_id),
        "attempt_id": str(row.attempt_id),
        "login": row.login,
        "name": row.name,
        "number": row.number,
        "state": row.state.value,
        "failure_reason": row.failure_reason,
        "before": points(row.before),
        "after": points(row.after),
        "delta": points(row.delta),
        "worth_before": points(row.worth_before),
        "worth_after": points(row.worth_after),
        "total_before": points(row.total_before),
        "total_after": points(row.total_after),
        "total_delta": points(row.total_delta),
        "checks": [_check(item) for item in row.checks],
    }


def _check(item: CheckChange) -> dict[str, Any]:
    return {
        "check_id": item.check_id,
        "cause": item.cause.value,
        "delta": points(item.delta),
        "before": _judged(item.before),
        "after": _judged(item.after),
    }


def _judged(check: JudgedCheck | None) -> dict[str, Any] | None:
    if check is None:
        return None
    return {
        "verdict": check.verdict.value,
        "points": points(check.points),
        "earned": points(check.earned),
        "code": check.code,
        "line": check.line,
    }
