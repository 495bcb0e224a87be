"""What can be taken out of a course, and one's own data."""

from __future__ import annotations

from functools import partial
from typing import Annotated

from fastapi import APIRouter, File, Form, Query, Request, UploadFile
from starlette.responses import Response

from grader.content.tables import MOST_BYTES
from grader.db.database import Database
from grader.domain.errors import GraderError, InvalidInput
from grader.domain.people import Role
from grader.services.access import Actor, seat_in
from grader.services.exports.canvas import Unmatched
from grader.services.exports.course_archive import write_course_archive
from grader.services.exports.downloads import CANVAS, canvas_unmatched, grades_file
from grader.services.exports.files import ZIP_TYPE
from grader.services.exports.gradescope_archive import write_assignment_results
from grader.services.exports.person_archive import write_person_archive
from grader.services.gradebook import gradebook_of
from grader.web.addresses import AssignmentSlug, CourseSlug
from grader.web.api.grades import Kind, file_response
from grader.web.dependencies import CurrentActor, Db
from grader.web.downloads import written
from grader.web.errors import problem_of
from grader.web.files import bytes_of, optional_bytes
from grader.web.rendering import page

router = APIRouter()

Section = Annotated[str, Query(max_length=200)]


@router.get("/courses/{course}/exports")
def exports(request: Request, actor: CurrentActor, database: Db, course: CourseSlug) -> Response:
    """Everything that can be downloaded."""
    return _exports(request, database, actor, course)


@router.get("/courses/{course}/exports/archive")
def archive(actor: CurrentActor, database: Db, course: CourseSlug) -> Response:
    """The whole course as one archive."""
    return written(partial(write_course_archive, database, actor=actor, course=course), media_type=ZIP_TYPE)


@router.get("/courses/{course}/exports/gradescope/{slug}")
def gradescope(actor: CurrentActor, database: Db, course: CourseSlug, slug: AssignmentSlug) -> Response:
    """An assignment's results for Gradescope."""
    results = partial(write_assignment_results, database, actor=actor, course=course, slug=slug)
    return written(results, media_type=ZIP_TYPE)


@router.get("/courses/{course}/exports/{kind}")
def grades(
    actor: CurrentActor, database: Db, course: CourseSlug, kind: Kind, section: Section = ""
) -> Response:
    """Grades as a file."""
    made = grades_file(database, actor=actor, course=course, kind=kind, section=section or None)
    return file_response(made)


@router.post("/courses/{course}/exports/canvas")
def canvas(
    request: Request,
    actor: CurrentActor,
    database: Db,
    course: CourseSlug,
    file: Annotated[UploadFile | None, File()] = None,
    *,
    check_only: Annotated[bool, Form()] = False,
) -> Response:
    """Grades for Canvas with the identities of its own export; or only what would not match."""
    try:
        if check_only:
            own = bytes_of(file, most=MOST_BYTES, field="canvas export")
            found = canvas_unmatched(database, actor=actor, course=course, own_export=own)
            return _exports(request, database, actor, course, unmatched=found)
        own_or_none = optional_bytes(file, most=MOST_BYTES, field="canvas export")
        made = grades_file(database, actor=actor, course=course, kind=CANVAS, own_export=own_or_none)
    except InvalidInput as error:
        return _exports(request, database, actor, course, error=error)
    return file_response(made)


@router.get("/account/data")
def my_data(actor: CurrentActor, database: Db) -> Response:
    """Everything that is held about whoever asks."""
    return written(partial(write_person_archive, database, actor=actor), media_type=ZIP_TYPE)


def _exports(
    request: Request,
    database: Database,
    actor: Actor,
    course: str,
    *,
    unmatched: Unmatched | None = None,
    error: GraderError | None = None,
) -> Response:
    with database.reading() as session:
        seat = seat_in(session, course=course, user_id=actor.user_id).require(Role.INSTRUCTOR)
        book = gradebook_of(session, seat)
    return page(
        request,
        "instructor/exports.html",
        seat=seat,
        book=book,
        unmatched=unmatched,
        error="" if error is None else str(error),
        status_code=200 if error is None else problem_of(error).status,
    )
