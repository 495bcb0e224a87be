"""Publishing an assignment by uploading its folder, and its versions."""

from __future__ import annotations

from typing import Annotated
from uuid import UUID

from fastapi import APIRouter, File, Form, Request, UploadFile
from starlette.responses import Response

from grader.content.folder_archives import FOLDER_LIMITS
from grader.db.database import Database
from grader.domain.difference import FileChange
from grader.domain.errors import Conflict, GraderError, InvalidInput, UploadRefused
from grader.domain.people import Role
from grader.services.access import Actor, seat_in
from grader.services.publication.requests import publication, publications, request_publication
from grader.services.versions import version_difference, versions
from grader.web.addresses import AssignmentSlug, CourseSlug, VersionNumber
from grader.web.dependencies import CurrentActor, Db
from grader.web.errors import problem_of
from grader.web.files import bytes_of
from grader.web.rendering import fragment, page, see_other

router = APIRouter(prefix="/courses/{course}")


@router.get("/publish")
def publish(request: Request, actor: CurrentActor, database: Db, course: CourseSlug) -> Response:
    """The form for a folder, and what was uploaded lately."""
    return _publish(request, database, actor, course)


@router.post("/publish")
def upload(
    request: Request,
    actor: CurrentActor,
    database: Db,
    course: CourseSlug,
    file: Annotated[UploadFile | None, File()] = None,
    *,
    as_draft: Annotated[bool, Form()] = False,
) -> Response:
    """Take a folder; its gate runs on a worker."""
    try:
        made = request_publication(
            database,
            actor=actor,
            course=course,
            upload_name=(file.filename if file else None) or "",
            data=bytes_of(file, most=FOLDER_LIMITS.upload_bytes, field="folder"),
            as_draft=as_draft,
        )
    except (InvalidInput, UploadRefused, Conflict) as error:
        return _publish(request, database, actor, course, error=error)
    return see_other(f"/courses/{course}/publications/{made.id}")


@router.get("/publications/{publication_id}")
def one(
    request: Request, actor: CurrentActor, database: Db, course: CourseSlug, publication_id: UUID
) -> Response:
    """One upload, its gate and what came of it. HTMX asks for the part that changes."""
    found = publication(database, actor=actor, course=course, publication_id=publication_id)
    with database.reading() as session:
        seat = seat_in(session, course=course, user_id=actor.user_id)
    if request.headers.get("hx-request"):
        zone = actor.timezone or seat.timezone
        return fragment("instructor/_publication.html", found=found, seat=seat, zone=zone)
    return page(request, "instructor/publication.html", seat=seat, found=found)


@router.get("/assignments/{slug}/versions")
def all_versions(
    request: Request, actor: CurrentActor, database: Db, course: CourseSlug, slug: AssignmentSlug
) -> Response:
    """The versions of an assignment."""
    found = versions(database, actor=actor, course=course, slug=slug)
    return page(request, "instructor/versions.html", seat=found.seat, found=found)


@router.get("/assignments/{slug}/versions/{number}")
def difference(
    request: Request,
    actor: CurrentActor,
    database: Db,
    course: CourseSlug,
    slug: AssignmentSlug,
    number: VersionNumber,
) -> Response:
    """What a version changed, line by line."""
    found = version_difference(database, actor=actor, course=course, slug=slug, number=number)
    changed = [file for file in found.files if file.change is not FileChange.SAME]
    return page(request, "instructor/version.html", seat=found.seat, found=found, files=changed)


def _publish(
    request: Request,
    database: Database,
    actor: Actor,
    course: str,
    *,
    error: GraderError | None = None,
) -> Response:
    with database.reading() as session:
        seat = seat_in(session, course=course, user_id=actor.user_id).require(Role.INSTRUCTOR)
    return page(
        request,
        "instructor/publish.html",
        seat=seat,
        latest=publications(database, actor=actor, course=course),
        error="" if error is None else str(error),
        status_code=200 if error is None else problem_of(error).status,
    )
