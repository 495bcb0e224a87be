"""Publishing an assignment folder as an immutable version, and laying it out again where it is graded."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from uuid import UUID, uuid4

from sqlalchemy import select
from sqlalchemy.orm import Session

from grader.content.assignments import BundleFile, bundle_files, materialise, read_assignment, version_of
from grader.db import models
from grader.db.database import Database
from grader.db.statements import insert_if_absent
from grader.domain.attempts import Queue
from grader.domain.errors import EngineFault, NotFound
from grader.domain.results import JsonValue
from grader.domain.rubric import Assignment, CheckSpec, Limits, Rubric
from grader.services.auditing import Action, Subject, record
from grader.services.files import sha256_of, store_files
from grader.services.scheduling import ensure_schedule

ENGINE_ALLOWANCE_S = 360.0
"""What the engine may take at most beyond an attempt's own limit: two minutes to start, two to collect a
suite, one to give up, and a minute more. Only a process that has gone wrong altogether gets so far."""


@dataclass(frozen=True, slots=True, kw_only=True)
class PublishedVersion:
    """A version as stored. `created` is False where the folder has not changed since the last publication."""

    assignment_id: UUID
    version_id: UUID
    slug: str
    number: int
    content_hash: str
    created: bool = False


def publish(
    database: Database,
    *,
    course_id: UUID,
    assignment: Assignment,
    rubric: Rubric,
    published_by: UUID | None = None,
    bundle: bytes | None = None,
    as_draft: bool = False,
) -> PublishedVersion:
    """Store an assignment folder as the version that new submissions are graded against.

    `rubric` is what the folder's suite declares, `bundle` the zip that students get to check their own work.
    A folder equal to the current version makes no new one, but its bundle is renewed. With `as_draft` an
    assignment that is new stays hidden from students.
    """
    files = bundle_files(assignment.root)
    content_hash = version_of(files)
    with database.writing() as session:
        now = database.now(session)
        row = _locked_assignment(session, course_id=course_id, assignment=assignment, now=now)
        current = _current(session, row.id)
        if current is None and as_draft:
            ensure_schedule(session, row.id, draft=True)
        if current is not None and current.content_hash == content_hash:
            _store_bundle(session, current.id, bundle, now=now)
            return _published(row, current, created=False)
        version = models.AssignmentVersion(
            assignment_id=row.id,
            number=1 if current is None else current.number + 1,
            content_hash=content_hash,
            queue=Queue(assignment.queue),
            time_limit_s=hard_limit_s(assignment.limits),
            manifest=_manifest(assignment),
            rubric={"checks": [_check(check) for check in rubric.checks]},
            published_at=now,
            published_by=published_by,
        )
        row.title = assignment.title
        session.add(version)
        session.flush()
        _store_folder(session, version.id, files, now=now)
        _store_bundle(session, version.id, bundle, now=now)
        record(
            session,
            Action.VERSION_PUBLISHED,
            subject=Subject.VERSION,
            subject_id=version.id,
            at=now,
            actor_id=published_by,
            data={"slug": row.slug, "number": version.number, "content_hash": content_hash},
        )
        return _published(row, version, created=True)


def current_version(database: Database, *, course_id: UUID, slug: str) -> PublishedVersion:
    """The newest version of a course's assignment; NotFound if there is none."""
    with database.reading() as session:
        row = session.scalar(
            select(models.Assignment).where(
                models.Assignment.course_id == course_id, models.Assignment.slug == slug
            )
        )
        current = None if row is None else _current(session, row.id)
        if row is None or current is None:
            raise NotFound("assignment", slug, "Publish it first: grader assignment publish DIR")
        return _published(row, current, created=False)


def version_for(session: Session, assignment_id: UUID) -> models.AssignmentVersion:
    """The version that a submission arriving now is graded against."""
    current = _current(session, assignment_id)
    if current is None:
        raise NotFound("assignment", str(assignment_id), "Publish it first: grader assignment publish DIR")
    return current


def materialise_version(database: Database, version_id: UUID, *, cache: Path) -> Assignment:
    """A version's folder, unpacked under `cache` unless it is there already, and read.

    The folder's name is its content hash, so versions never mix; it appears whole or not at all. EngineFault
    if what the database returned is not what was published.
    """
    with database.reading() as session:
        version = session.get_one(models.AssignmentVersion, version_id)
        into = cache / version.content_hash
        if not into.is_dir():
            files = _load_folder(session, version_id)
            if version_of(files) != version.content_hash:
                raise EngineFault(f"version {version_id} in the database is not what was published")
            materialise(files, into)
    return read_assignment(into)


def hard_limit_s(limits: Limits) -> float:
    """When to kill a worker's process that the engine's own limits did not stop.

    An attempt may have to wait for the engine to start and to read the suite; see `ENGINE_ALLOWANCE_S`.
    """
    return limits.attempt_s + ENGINE_ALLOWANCE_S


def _locked_assignment(
    session: Session, *, course_id: UUID, assignment: Assignment, now: datetime
) -> models.Assignment:
    if session.get(models.Course, course_id) is None:
        raise NotFound("course", str(course_id))
    row = {
        "id": uuid4(),
        "course_id": course_id,
        "slug": assignment.slug,
        "title": assignment.title,
        "created_at": now,
    }
    insert_if_absent(session, models.Assignment, [row])
    return session.scalars(
        select(models.Assignment)
        .where(models.Assignment.course_id == course_id, models.Assignment.slug == assignment.slug)
        .with_for_update(key_share=True)
    ).one()


def _current(session: Session, assignment_id: UUID) -> models.AssignmentVersion | None:
    return session.scalar(
        select(models.AssignmentVersion)
        .where(models.AssignmentVersion.assignment_id == assignment_id)
        .order_by(models.AssignmentVersion.number.desc())
        .limit(1)
    )


def _published(
    row: models.Assignment, version: models.AssignmentVersion, *, created: bool
) -> PublishedVersion:
    return PublishedVersion(
        assignment_id=row.id,
        version_id=version.id,
        slug=row.slug,
        number=version.number,
        content_hash=version.content_hash,
        created=created,
    )


def _store_bundle(session: Session, version_id: UUID, bundle: bytes | None, *, now: datetime) -> None:
    if bundle is not None:
        store_files(session, [bundle], now=now)
        session.merge(models.AssignmentVersionBundle(version_id=version_id, sha256=sha256_of(bundle)))


def _store_folder(session: Session, version_id: UUID, files: Iterable[BundleFile], *, now: datetime) -> None:
    files = tuple(files)
    store_files(session, [data for _, data in files], now=now)
    session.add_all(
        models.AssignmentVersionFile(version_id=version_id, path=path, sha256=sha256_of(data))
        for path, data in files
    )


def _load_folder(session: Session, version_id: UUID) -> tuple[BundleFile, ...]:
    rows = session.execute(
        select(models.AssignmentVersionFile.path, models.StoredFile.data)
        .join(models.StoredFile, models.StoredFile.sha256 == models.AssignmentVersionFile.sha256)
        .where(models.AssignmentVersionFile.version_id == version_id)
    )
    return tuple((path, data) for path, data in rows)


def _manifest(assignment: Assignment) -> dict[str, JsonValue]:
    """What lists and pages need of the manifest; the folder's own assignment.toml stays the truth."""
    return {
        "slug": assignment.slug,
        "title": assignment.title,
        "entry": assignment.entry,
        "queue": assignment.queue,
        "lesson": assignment.lesson,
        "functions": [
            {"name": function.name, "static": list(function.static)} for function in assignment.functions
        ],
    }


def _check(check: CheckSpec) -> dict[str, JsonValue]:
    return {
        "id": check.id,
        "title": check.title,
        "family": check.family.value,
        "function": check.function,
        "points": str(check.points),
        "visibility": check.visibility.value,
        "lesson": check.lesson,
    }
