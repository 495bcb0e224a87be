"""Making a course, and what holds in it."""

from __future__ import annotations

from typing import Annotated

from fastapi import APIRouter, Form, Request
from starlette.responses import Response

from grader.db.database import Database
from grader.domain.errors import Conflict, EditConflict, GraderError, InvalidInput, NotAllowed
from grader.domain.people import Role
from grader.domain.text import one_line
from grader.domain.zones import zone_names
from grader.services.access import Actor, seat_in
from grader.services.courses import (
    LONGEST_TITLE,
    SettingsWanted,
    change_course,
    course_settings,
    create_course,
)
from grader.web.addresses import CourseSlug
from grader.web.dependencies import CurrentActor, Db
from grader.web.errors import problem_of
from grader.web.instructor_forms import CourseForm, SettingsForm, whole
from grader.web.rendering import page, see_other

router = APIRouter()


@router.get("/courses/new")
def new_course(request: Request, actor: CurrentActor) -> Response:
    """The form for a course."""
    if not actor.may_create_courses:
        raise NotAllowed("you may not make courses. Ask an instructor for an invitation to theirs.")
    return _new(request, {"timezone": actor.timezone or "UTC"})


@router.post("/courses/new")
def make_course(
    request: Request, actor: CurrentActor, database: Db, form: Annotated[CourseForm, Form()]
) -> Response:
    """Make a course with the one who asks as its instructor."""
    try:
        made = create_course(database, actor=actor, slug=form.slug, title=form.title, timezone=form.timezone)
    except (InvalidInput, Conflict) as error:
        return _new(request, form.typed(), error=str(error), status_code=problem_of(error).status)
    flash = f"{made.title} is there. Next, publish an assignment, and bring in the roster."
    return see_other(f"/courses/{made.slug}", request=request, flash=flash)


@router.get("/courses/{course}/settings")
def settings(request: Request, actor: CurrentActor, database: Db, course: CourseSlug) -> Response:
    """The form for what holds in a course."""
    return _settings(request, database, actor, course)


@router.post("/courses/{course}/settings")
def change_settings(
    request: Request,
    actor: CurrentActor,
    database: Db,
    course: CourseSlug,
    form: Annotated[SettingsForm, Form()],
) -> Response:
    """Change what holds in a course."""
    try:
        change_course(
            database,
            actor=actor,
            course=course,
            seen=form.seen,
            wanted=SettingsWanted(
                title=form.title,
                timezone=form.timezone,
                grace_days=whole(form.grace_days, field="grace days") or 0,
                archived=form.archived,
                names_hidden=form.names_hidden,
            ),
        )
    except (InvalidInput, EditConflict) as error:
        mistaken = None if isinstance(error, EditConflict) else form
        return _settings(request, database, actor, course, form=mistaken, error=error)
    return see_other(f"/courses/{course}/settings", request=request, flash="The settings are saved.")


def _new(request: Request, typed: dict[str, str], *, error: str = "", status_code: int = 200) -> Response:
    return page(
        request,
        "instructor/new_course.html",
        typed=typed,
        error=error,
        zones=zone_names(),
        status_code=status_code,
    )


def _settings(
    request: Request,
    database: Database,
    actor: Actor,
    course: str,
    *,
    form: SettingsForm | None = None,
    error: GraderError | None = None,
) -> Response:
    """The form: as stored, or, where a mistake is to be mended, as typed and seen."""
    with database.reading() as session:
        seat = seat_in(session, course=course, user_id=actor.user_id).require(Role.INSTRUCTOR)
    found = course_settings(database, actor=actor, course=course)
    stored = {
        "title": one_line(found.title, LONGEST_TITLE),
        "timezone": found.timezone,
        "grace_days": str(found.grace_days),
        "names_hidden": "yes" if found.names_hidden else "",
        "archived": "yes" if found.archived_at else "",
    }
    return page(
        request,
        "instructor/settings.html",
        seat=seat,
        seen=found.version if form is None else form.seen,
        typed=stored if form is None else form.typed(),
        error="" if error is None else str(error),
        zones=zone_names(),
        status_code=200 if error is None else problem_of(error).status,
    )
