"""An assignment's dates and rules, the release of its grades, extensions."""

from __future__ import annotations

import math
from collections.abc import Callable
from functools import partial
from typing import Annotated
from uuid import UUID

from fastapi import APIRouter, Form, Request
from starlette.responses import Response

from grader.db.database import Database
from grader.domain.errors import Conflict, EditConflict, GraderError, InvalidInput, NotFound
from grader.domain.people import Role
from grader.domain.scheduling import Counting, LateRule
from grader.domain.zones import local_text
from grader.presentation.ledgers import share_text
from grader.services.access import Actor, seat_in
from grader.services.extending import extensions, grant_extension, revoke_extension
from grader.services.gradebook import students_of
from grader.services.scheduling import (
    ScheduleView,
    change_schedule,
    release_grades,
    schedule_for,
    take_grades_back,
)
from grader.web.addresses import AssignmentSlug, CourseSlug
from grader.web.dependencies import CurrentActor, Db
from grader.web.errors import problem_of
from grader.web.instructor_forms import ExtensionForm, ScheduleForm, SeenForm, notes_of
from grader.web.rendering import page, see_other
from grader.web.review_page import NO_DRAFT, Draft

router = APIRouter(prefix="/courses/{course}/assignments/{slug}/edit")

_MINUTE_S = 60
DATES, EXTENSION = "dates", "extension"
"""The page's forms, by the names of their drafts."""

LATE_RULES = [
    (LateRule.NOTHING.value, "Late work loses no points"),
    (LateRule.PER_DAY.value, "Each day begun costs a share of the points earned"),
]
COUNTINGS = [
    (Counting.BEST.value, "The best submission"),
    (Counting.LAST.value, "The last submission"),
    (Counting.CHOSEN.value, "The one the student marks; until then, the last"),
]


@router.get("")
def edit(
    request: Request, actor: CurrentActor, database: Db, course: CourseSlug, slug: AssignmentSlug
) -> Response:
    """The form for dates and rules."""
    return _edit(request, database, actor, course, slug)


@router.post("")
def save(
    request: Request,
    actor: CurrentActor,
    database: Db,
    course: CourseSlug,
    slug: AssignmentSlug,
    form: Annotated[ScheduleForm, Form()],
) -> Response:
    """Set dates and rules."""
    view = schedule_for(database, actor=actor, course=course, slug=slug)
    try:
        schedule, notes = form.schedule(view.zone)
        change_schedule(database, actor=actor, course=course, slug=slug, seen=form.seen, schedule=schedule)
    except (InvalidInput, EditConflict) as error:
        # After a conflict the form shows what the other one has set, not what was typed here; after a mistake
        # it is still about the version that was seen.
        values = {} if isinstance(error, EditConflict) else {**form.typed(), "seen": str(form.seen)}
        wrong = error.field if isinstance(error, InvalidInput) else ""
        draft = Draft(form=DATES, values=values, error=str(error), wrong=wrong)
        return _edit(request, database, actor, course, slug, draft=draft, failed=error)
    return _saved(request, course, slug, " ".join(["Dates and rules are saved.", *notes]))


@router.post("/release")
def release(
    request: Request,
    actor: CurrentActor,
    database: Db,
    course: CourseSlug,
    slug: AssignmentSlug,
    form: Annotated[SeenForm, Form()],
) -> Response:
    """Release the grades."""
    change = partial(release_grades, database, actor=actor, course=course, slug=slug, seen=form.seen)
    return _changed(request, database, actor, course, slug, change=change, flash="The grades are released.")


@router.post("/take-back")
def take_back(
    request: Request,
    actor: CurrentActor,
    database: Db,
    course: CourseSlug,
    slug: AssignmentSlug,
    form: Annotated[SeenForm, Form()],
) -> Response:
    """Take released grades back."""
    change = partial(take_grades_back, database, actor=actor, course=course, slug=slug, seen=form.seen)
    return _changed(
        request, database, actor, course, slug, change=change, flash="The grades are no longer released."
    )


@router.post("/extensions")
def grant(
    request: Request,
    actor: CurrentActor,
    database: Db,
    course: CourseSlug,
    slug: AssignmentSlug,
    form: Annotated[ExtensionForm, Form()],
) -> Response:
    """Grant one student more time."""
    view = schedule_for(database, actor=actor, course=course, slug=slug)
    try:
        due, closes = form.times(view.zone)
        grant_extension(
            database,
            actor=actor,
            course=course,
            slug=slug,
            login=form.login,
            due_at=due.moment,
            closes_at=closes.moment if closes else None,
            reason=form.reason,
        )
    except (InvalidInput, Conflict, NotFound) as error:
        draft = Draft(form=EXTENSION, values=form.typed(), error=str(error))
        return _edit(request, database, actor, course, slug, draft=draft, failed=error)
    said = " ".join([f"{form.login} has more time.", *notes_of(due, closes)])
    return _saved(request, course, slug, said)


@router.post("/extensions/{extension_id}/revoke")
def revoke(
    request: Request,
    actor: CurrentActor,
    database: Db,
    course: CourseSlug,
    slug: AssignmentSlug,
    extension_id: UUID,
) -> Response:
    """Take an extension back."""
    revoke_extension(database, actor=actor, course=course, extension_id=extension_id)
    return _saved(request, course, slug, "The extension is taken back.")


def _changed(
    request: Request,
    database: Database,
    actor: Actor,
    course: str,
    slug: str,
    *,
    change: Callable[[], object],
    flash: str,
) -> Response:
    """Make a change; where somebody else was quicker, the page says so."""
    try:
        change()
    except Conflict as error:
        draft = Draft(form=DATES, error=str(error))
        return _edit(request, database, actor, course, slug, draft=draft, failed=error)
    return _saved(request, course, slug, flash)


def _saved(request: Request, course: str, slug: str, flash: str) -> Response:
    return see_other(f"/courses/{course}/assignments/{slug}/edit", request=request, flash=flash)


def _edit(
    request: Request,
    database: Database,
    actor: Actor,
    course: str,
    slug: str,
    *,
    draft: Draft = NO_DRAFT,
    failed: GraderError | None = None,
) -> Response:
    with database.reading() as session:
        seat = seat_in(session, course=course, user_id=actor.user_id).require(Role.INSTRUCTOR)
        students = students_of(session, seat.course_id)
    view = schedule_for(database, actor=actor, course=course, slug=slug)
    typed = draft.values if draft.form == DATES and draft.values else _stored(view)
    return page(
        request,
        "instructor/edit.html",
        seat=seat,
        view=view,
        typed=typed,
        draft=draft,
        extensions=extensions(database, actor=actor, course=course, slug=slug),
        students=students,
        late_rules=LATE_RULES,
        countings=COUNTINGS,
        status_code=200 if failed is None else problem_of(failed).status,
    )


def _stored(view: ScheduleView) -> dict[str, str]:
    """What is set, as the form's fields show it."""
    schedule = view.schedule
    return {
        "seen": str(view.version),
        "draft": "yes" if schedule.draft else "",
        "opens": local_text(schedule.opens_at, view.zone),
        "due": local_text(schedule.due_at, view.zone),
        "closes": local_text(schedule.closes_at, view.zone),
        "late_rule": schedule.late_rule.value,
        "per_day": share_text(schedule.per_day).removesuffix(" %") if schedule.per_day else "",
        "uses_grace": "yes" if schedule.uses_grace else "",
        "submission_limit": "" if schedule.submission_limit is None else str(schedule.submission_limit),
        "cooldown_min": str(math.ceil(schedule.cooldown_s / _MINUTE_S)) if schedule.cooldown_s else "",
        "counting": schedule.counting.value,
    }
