"""An assignment's published versions, and what changed from one to the next."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum
from fractions import Fraction
from uuid import UUID

from sqlalchemy import select
from sqlalchemy.orm import Session

from grader.content.tables import decode_table
from grader.db import models
from grader.db.database import Database
from grader.domain.difference import FileDifference, differences
from grader.domain.errors import NotFound
from grader.domain.submission import SourceFile, SubmittedFiles
from grader.services.access import Actor, Seat, assignment_in, seat_in
from grader.services.gradebook import worth_of

MOST_COMPARED_BYTES = 200_000


class FileChange(StrEnum):
    """What happened to a file since the version before."""

    ADDED = "added"
    CHANGED = "changed"
    REMOVED = "removed"


@dataclass(frozen=True, slots=True, kw_only=True)
class ChangedFile:
    """One file that differs."""

    path: str
    change: FileChange


@dataclass(frozen=True, slots=True, kw_only=True)
class VersionView:
    """One version with the files that differ from the version before it."""

    number: int
    content_hash: str
    queue: str
    max_score: Fraction | None
    published_at: datetime
    published_by: str | None
    changes: tuple[ChangedFile, ...]
    files: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Versions:
    """All versions of an assignment, newest first."""

    seat: Seat
    slug: str
    title: str
    versions: tuple[VersionView, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class VersionDifference:
    """The texts of two versions that follow each other, line by line; what is not text is left out."""

    seat: Seat
    slug: str
    title: str
    old: int
    new: int
    files: tuple[FileDifference, ...]


def versions(database: Database, *, actor: Actor, course: str, slug: str) -> Versions:
    """An assignment's versions; for instructors, since folders hold the solution."""
    with database.reading() as session:
        seat = seat_in(session, course=course, user_id=actor.user_id).require_instructor()
        assignment = assignment_in(session, seat, slug=slug, now=database.now(session))
        rows = session.execute(
            select(models.AssignmentVersion, models.User.name)
            .outerjoin(models.User, models.User.id == models.AssignmentVersion.published_by)
            .where(models.AssignmentVersion.assignment_id == assignment.id)
            .order_by(models.AssignmentVersion.number)
        ).all()
        files = _files(session, assignment.id)
    found: list[VersionView] = []
    before: Mapping[str, str] = {}
    for row, by in rows:
        here = files.get(row.id, {})
        found.append(
            VersionView(
                number=row.number,
                content_hash=row.content_hash,
                queue=row.queue.value,
                max_score=worth_of(row.rubric),
                published_at=row.published_at,
                published_by=by,
                changes=_changes(before, here) if found else (),
                files=len(here),
            )
        )
        before = here
    return Versions(seat=seat, slug=assignment.slug, title=assignment.title, versions=tuple(reversed(found)))


def version_difference(
    database: Database, *, actor: Actor, course: str, slug: str, number: int
) -> VersionDifference:
    """What a version changed of the one before it, line by line."""
    with database.reading() as session:
        seat = seat_in(session, course=course, user_id=actor.user_id).require_instructor()
        assignment = assignment_in(session, seat, slug=slug, now=database.now(session))
        old = _texts(session, assignment.id, number - 1)
        new = _texts(session, assignment.id, number)
    return VersionDifference(
        seat=seat,
        slug=assignment.slug,
        title=assignment.title,
        old=number - 1,
        new=number,
        files=differences(old, new),
    )


def assignment_ids(session: Session, course_id: UUID) -> tuple[UUID, ...]:
    """The assignments of a course."""
    return tuple(
        session.scalars(select(models.Assignment.id).where(models.Assignment.course_id == course_id))
    )


def _files(session: Session, assignment_id: UUID) -> Mapping[UUID, Mapping[str, str]]:
    """The hash of every file, by version and path."""
    rows = session.execute(
        select(
            models.AssignmentVersionFile.version_id,
            models.AssignmentVersionFile.path,
            models.AssignmentVersionFile.sha256,
        )
        .join(
            models.AssignmentVersion, models.AssignmentVersion.id == models.AssignmentVersionFile.version_id
        )
        .where(models.AssignmentVersion.assignment_id == assignment_id)
    )
    found: dict[UUID, dict[str, str]] = defaultdict(dict)
    for version_id, path, sha256 in rows:
        found[version_id][path] = sha256
    return found


def _changes(before: Mapping[str, str], after: Mapping[str, str]) -> tuple[ChangedFile, ...]:
    def change(path: str) -> FileChange:
        if path not in before:
            return FileChange.ADDED
        return FileChange.CHANGED if path in after else FileChange.REMOVED

    differing = {path for path in {*before, *after} if before.get(path) != after.get(path)}
    return tuple(ChangedFile(path=path, change=change(path)) for path in sorted(differing))


def _texts(session: Session, assignment_id: UUID, number: int) -> SubmittedFiles:
    rows = session.execute(
        select(models.AssignmentVersionFile.path, models.StoredFile.size, models.StoredFile.data)
        .join(models.StoredFile, models.StoredFile.sha256 == models.AssignmentVersionFile.sha256)
        .join(
            models.AssignmentVersion, models.AssignmentVersion.id == models.AssignmentVersionFile.version_id
        )
        .where(
            models.AssignmentVersion.assignment_id == assignment_id, models.AssignmentVersion.number == number
        )
        .order_by(models.AssignmentVersionFile.path)
    ).all()
    if not rows:
        raise NotFound("version", str(number))
    texts = [
        SourceFile(name=path, text=decode_table(data))
        for path, size, data in rows
        if size <= MOST_COMPARED_BYTES and b"\0" not in data
    ]
    return SubmittedFiles(entry=texts[0].name, files=tuple(texts))
