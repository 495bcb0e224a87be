"""Regrades: making a plan, looking at what it changes, deciding."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated
from uuid import UUID

from fastapi import APIRouter, Form, Request
from starlette.responses import Response

from grader.db import models
from grader.domain.errors import Conflict, GraderError, InvalidInput, NotFound
from grader.domain.regrades import Cause, Which
from grader.domain.reviewing import PlanState
from grader.presentation.words import VERDICT_WORDS, counted_points
from grader.services.access import Actor, assignment_in
from grader.services.regrading.comparing import plan_changes
from grader.services.regrading.deciding import apply_plan, discard_plan, undo_plan
from grader.services.regrading.planning import make_plan, versions_of
from grader.services.regrading.plans import plans, staff_seat
from grader.services.student.points import worth_of
from grader.web.addresses import AssignmentSlug, CourseSlug
from grader.web.context import WebContext
from grader.web.dependencies import CurrentActor, Db, Web
from grader.web.errors import problem_of
from grader.web.instructor_forms import PlanForm, SeenForm, whole
from grader.web.rendering import page, see_other

router = APIRouter(prefix="/courses/{course}/assignments/{slug}/regrades")

CAUSES: dict[Cause, str] = {
    Cause.VERDICT: "judged differently",
    Cause.WORTH: "worth other points now",
    Cause.ADDED: "new in this version",
    Cause.REMOVED: "no longer in this version",
}
STATES: dict[PlanState, tuple[str, str, str]] = {
    PlanState.RUNNING: ("being graded", "calm", "…"),
    PlanState.READY: ("ready to apply", "calm", "○"),
    PlanState.APPLIED: ("applied", "good", "✓"),
    PlanState.UNDONE: ("undone", "calm", "↺"),
    PlanState.DISCARDED: ("discarded", "bad", "✗"),
}
"""A plan's state as label, tone and sign."""

WHICH = [
    (Which.COUNTING.value, "The submission that counts, for each student"),
    (Which.ALL.value, "All submissions"),
]


@router.get("")
def all_plans(
    request: Request, actor: CurrentActor, web: Web, course: CourseSlug, slug: AssignmentSlug
) -> Response:
    """The plans of an assignment, and the form for another."""
    return _plans(request, web, actor, course, slug)


@router.post("")
def make(
    request: Request,
    actor: CurrentActor,
    web: Web,
    course: CourseSlug,
    slug: AssignmentSlug,
    form: Annotated[PlanForm, Form()],
) -> Response:
    """Plan a regrade."""
    try:
        made = make_plan(
            web.database,
            actor=actor,
            course=course,
            slug=slug,
            selection=form.selection(),
            reason=form.reason,
            secret=web.secret,
            version=whole(form.version, field="version"),
        )
    except (InvalidInput, Conflict, NotFound) as error:
        return _plans(request, web, actor, course, slug, typed=form.typed(), error=error)
    return see_other(f"/courses/{course}/assignments/{slug}/regrades/{made.id}")


@router.get("/{plan_id}")
def one(
    request: Request,
    actor: CurrentActor,
    database: Db,
    course: CourseSlug,
    slug: AssignmentSlug,
    plan_id: UUID,
) -> Response:
    """A plan with everything that it changes."""
    with database.reading() as session:
        seat = staff_seat(session, actor=actor, course=course)
    return page(
        request,
        "instructor/regrade.html",
        seat=seat,
        slug=slug,
        found=plan_changes(database, actor=actor, course=course, slug=slug, plan_id=plan_id),
        causes=CAUSES,
        states=STATES,
        verdicts=VERDICT_WORDS,
    )


@router.post("/{plan_id}/apply")
def apply_one(
    request: Request,
    actor: CurrentActor,
    database: Db,
    course: CourseSlug,
    slug: AssignmentSlug,
    plan_id: UUID,
    form: Annotated[SeenForm, Form()],
) -> Response:
    """Let a plan's attempts count."""
    apply_plan(database, actor=actor, course=course, slug=slug, plan_id=plan_id, seen=form.seen)
    return _decided(request, course, slug, plan_id, "The plan is applied.")


@router.post("/{plan_id}/undo")
def undo_one(
    request: Request,
    actor: CurrentActor,
    database: Db,
    course: CourseSlug,
    slug: AssignmentSlug,
    plan_id: UUID,
    form: Annotated[SeenForm, Form()],
) -> Response:
    """Let what counted before count again."""
    undo_plan(database, actor=actor, course=course, slug=slug, plan_id=plan_id, seen=form.seen)
    return _decided(request, course, slug, plan_id, "The plan is undone: what counted before counts again.")


@router.post("/{plan_id}/discard")
def discard_one(
    request: Request,
    actor: CurrentActor,
    database: Db,
    course: CourseSlug,
    slug: AssignmentSlug,
    plan_id: UUID,
    form: Annotated[SeenForm, Form()],
) -> Response:
    """Put a plan aside for good."""
    discard_plan(database, actor=actor, course=course, slug=slug, plan_id=plan_id, seen=form.seen)
    return _decided(request, course, slug, plan_id, "The plan is discarded.")


def _decided(request: Request, course: str, slug: str, plan_id: UUID, flash: str) -> Response:
    path = f"/courses/{course}/assignments/{slug}/regrades/{plan_id}"
    return see_other(path, request=request, flash=flash)


def _plans(
    request: Request,
    web: WebContext,
    actor: Actor,
    course: str,
    slug: str,
    *,
    typed: Mapping[str, str] | None = None,
    error: GraderError | None = None,
) -> Response:
    database = web.database
    with database.reading() as session:
        seat = staff_seat(session, actor=actor, course=course)
        assignment = assignment_in(session, seat, slug=slug, now=database.now(session))
        known = versions_of(session, assignment.id)
    checks = [check["id"] for check in known[0].rubric["checks"]] if known else []
    return page(
        request,
        "instructor/regrades.html",
        seat=seat,
        slug=slug,
        title=assignment.title,
        plans=plans(database, actor=actor, course=course, slug=slug),
        states=STATES,
        versions=[(str(item.number), _version_words(item)) for item in known],
        checks=[("", "any check"), *((check, check) for check in checks)],
        verdicts=[(verdict.value, word.label) for verdict, word in VERDICT_WORDS.items()],
        which=WHICH,
        typed=typed or {},
        error="" if error is None else str(error),
        status_code=200 if error is None else problem_of(error).status,
    )


def _version_words(version: models.AssignmentVersion) -> str:
    return f"version {version.number}, {counted_points(worth_of(version.rubric))}"
