"""Publishing an assignment from a zipped folder, and its versions."""

from __future__ import annotations

from datetime import datetime
from typing import Annotated, Any
from uuid import UUID

from fastapi import APIRouter, File, Form, UploadFile

from grader.content.folder_archives import FOLDER_LIMITS
from grader.domain.publication import PublicationState
from grader.services.publication.requests import publication, publications, request_publication
from grader.services.versions import FileChange, VersionView, versions
from grader.web.addresses import AssignmentSlug, CourseSlug
from grader.web.api.schemas import Answer
from grader.web.dependencies import CurrentActor, Db
from grader.web.files import bytes_of
from grader.web.numbers import points

router = APIRouter(tags=["publishing"])


class Publication(Answer):
    """An uploaded folder; `gate` is what `grader assignment check --json` prints, once there is a report."""

    id: UUID
    slug: str
    title: str
    upload_name: str
    as_draft: bool
    state: PublicationState
    requested_by: str | None
    requested_at: datetime
    finished_at: datetime | None
    step: dict[str, Any] | None
    gate: dict[str, Any] | None
    problem: str | None
    version_number: int | None


class ChangedFile(Answer):
    """A file that differs from the version before."""

    path: str
    change: FileChange


class Version(Answer):
    """A published version."""

    number: int
    content_hash: str
    queue: str
    max_score: float | None
    published_at: datetime
    published_by: str | None
    changes: list[ChangedFile]
    files: int


@router.post("/courses/{course}/publications", status_code=202)
def publish(
    actor: CurrentActor,
    database: Db,
    course: CourseSlug,
    file: Annotated[UploadFile, File()],
    *,
    as_draft: Annotated[bool, Form()] = False,
) -> Publication:
    """Upload an assignment's folder as a zip; a worker runs its gate, and publishes it if that opens."""
    data = bytes_of(file, most=FOLDER_LIMITS.upload_bytes, field="folder")
    made = request_publication(
        database, actor=actor, course=course, upload_name=file.filename or "", data=data, as_draft=as_draft
    )
    return Publication.model_validate(made)


@router.get("/courses/{course}/publications")
def latest(actor: CurrentActor, database: Db, course: CourseSlug) -> list[Publication]:
    """The latest uploads of a course, newest first."""
    found = publications(database, actor=actor, course=course)
    return [Publication.model_validate(item) for item in found]


@router.get("/courses/{course}/publications/{publication_id}")
def one(actor: CurrentActor, database: Db, course: CourseSlug, publication_id: UUID) -> Publication:
    """One upload, and how far its gate is."""
    return Publication.model_validate(
        publication(database, actor=actor, course=course, publication_id=publication_id)
    )


@router.get("/courses/{course}/assignments/{slug}/versions")
def published(actor: CurrentActor, database: Db, course: CourseSlug, slug: AssignmentSlug) -> list[Version]:
    """The versions of an assignment, newest first."""
    found = versions(database, actor=actor, course=course, slug=slug)
    return [_version(item) for item in found.versions]


def _version(item: VersionView) -> Version:
    return Version(
        number=item.number,
        content_hash=item.content_hash,
        queue=item.queue,
        max_score=points(item.max_score),
        published_at=item.published_at,
        published_by=item.published_by,
        changes=[ChangedFile.model_validate(change) for change in item.changes],
        files=item.files,
    )
