"""Asking for a folder to be published, and how far that is."""

from __future__ import annotations

import tempfile
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import Any
from uuid import UUID

from sqlalchemy import Select, select
from sqlalchemy.orm import Session

from grader.content.assignments import materialise, read_whole
from grader.content.folder_archives import unpack_folder
from grader.db import models
from grader.db.database import Database
from grader.domain.attempts import Queue
from grader.domain.errors import AssignmentInvalid, InvalidInput, NotFound
from grader.domain.publication import PublicationState
from grader.domain.rubric import Assignment
from grader.domain.text import printable
from grader.services.access import Actor, seat_in
from grader.services.auditing import Action, Subject, record
from grader.services.courses import require_open
from grader.services.files import sha256_of, store_files
from grader.services.gate import REPEATS
from grader.services.publishing import hard_limit_s

LONGEST_NAME = 200
LONGEST_GATE_S = 6600.0
"""However many mutants there are: a message must not live longer than the broker keeps it for one worker."""
RUNS_FOR_A_BUNDLE = 2
"""The solution is run once to record its answers, and once to try them."""

_MOST_LISTED = 50


@dataclass(frozen=True, slots=True, kw_only=True)
class PublicationView:
    """An uploaded folder and what has come of it. `gate` is the gate's report as JSON, once there is one.

    `as_draft` was wished for; `hidden` tells whether the published assignment is a draft now.
    """

    id: UUID
    course: str
    slug: str
    title: str
    upload_name: str
    as_draft: bool
    state: PublicationState
    requested_by: str | None
    requested_at: datetime
    finished_at: datetime | None
    step: Mapping[str, Any] | None
    gate: Mapping[str, Any] | None
    problem: str | None
    version_number: int | None
    hidden: bool


def request_publication(
    database: Database, *, actor: Actor, course: str, upload_name: str, data: bytes, as_draft: bool = False
) -> PublicationView:
    """Take a zipped folder and queue its gate.

    What can be judged without grading is judged now: UploadRefused for an archive that cannot be read,
    InvalidInput for a folder that is no assignment. Neither leaves a trace.
    """
    upload_name = printable(upload_name, limit=LONGEST_NAME) or "assignment.zip"
    with database.reading() as session:
        seat = seat_in(session, course=course, user_id=actor.user_id).require_instructor()
        require_open(session, seat)
    assignment = _read(data, upload_name)
    with database.writing() as session:
        now = database.now(session)
        seat = seat_in(session, course=course, user_id=actor.user_id).require_instructor()
        store_files(session, [data], now=now)
        row = models.Publication(
            course_id=seat.course_id,
            slug=assignment.slug,
            title=assignment.title,
            upload_name=upload_name,
            upload_sha256=sha256_of(data),
            as_draft=as_draft,
            queue=Queue(assignment.queue),
            time_limit_s=_time_limit_s(assignment),
            state=PublicationState.QUEUED,
            requested_by=actor.user_id,
            requested_at=now,
        )
        session.add(row)
        session.flush()
        record(
            session,
            Action.PUBLICATION_REQUESTED,
            subject=Subject.PUBLICATION,
            subject_id=row.id,
            at=now,
            actor_id=actor.user_id,
            data={"slug": assignment.slug, "sha256": row.upload_sha256},
        )
        return _one(session, seat.course_id, row.id)


def publication(database: Database, *, actor: Actor, course: str, publication_id: UUID) -> PublicationView:
    """One publication, for the course's staff."""
    with database.reading() as session:
        seat = seat_in(session, course=course, user_id=actor.user_id).require_staff()
        return _one(session, seat.course_id, publication_id)


def publications(database: Database, *, actor: Actor, course: str) -> tuple[PublicationView, ...]:
    """A course's latest publications, newest first, for its staff."""
    with database.reading() as session:
        seat = seat_in(session, course=course, user_id=actor.user_id).require_staff()
        rows = session.execute(
            _views(seat.course_id).order_by(models.Publication.requested_at.desc()).limit(_MOST_LISTED)
        )
        return tuple(_view(*row) for row in rows)


def running_gates(database: Database, *, actor: Actor, course: str) -> tuple[PublicationView, ...]:
    """The course's publications of which nothing has come yet, newest first, for its staff."""
    with database.reading() as session:
        seat = seat_in(session, course=course, user_id=actor.user_id).require_staff()
        rows = session.execute(
            _views(seat.course_id)
            .where(models.Publication.state.in_([state for state in PublicationState if not state.final]))
            .order_by(models.Publication.requested_at.desc())
            .limit(_MOST_LISTED)
        )
        return tuple(_view(*row) for row in rows)


def unpacked(data: bytes, upload_name: str, into: Path) -> Assignment:
    """The folder in a zip, laid out as the folder `into` and read."""
    materialise(unpack_folder(data, name=upload_name), into)
    return read_whole(into)


def _read(data: bytes, upload_name: str) -> Assignment:
    with tempfile.TemporaryDirectory(prefix="grader-folder-") as scratch:
        root = Path(scratch) / "folder"
        try:
            return unpacked(data, upload_name, root)
        except AssignmentInvalid as error:
            raise InvalidInput(place_in_folder(error, root), error.problem, error.remedy) from error


def place_in_folder(error: AssignmentInvalid, root: Path) -> str:
    """Where in an uploaded folder something is wrong; where it was unpacked to is nobody's business."""
    root, path = root.resolve(), error.path.resolve()
    if path != root and path.is_relative_to(root):
        return path.relative_to(root).as_posix()
    return "the folder"


def _time_limit_s(assignment: Assignment) -> float:
    programs = REPEATS + 1 + len(assignment.mutants) + RUNS_FOR_A_BUNDLE
    return min(LONGEST_GATE_S, programs * hard_limit_s(assignment.limits))


def _one(session: Session, course_id: UUID, publication_id: UUID) -> PublicationView:
    row = session.execute(_views(course_id).where(models.Publication.id == publication_id)).one_or_none()
    if row is None:
        raise NotFound("publication", str(publication_id))
    return _view(*row)


def _views(course_id: UUID) -> Select[models.Publication, str, str, int, bool]:
    schedule, version = models.AssignmentSchedule, models.AssignmentVersion
    return (
        select(models.Publication, models.Course.slug, models.User.name, version.number, schedule.draft)
        .join(models.Course, models.Course.id == models.Publication.course_id)
        .outerjoin(models.User, models.User.id == models.Publication.requested_by)
        .outerjoin(version, version.id == models.Publication.version_id)
        .outerjoin(schedule, schedule.assignment_id == version.assignment_id)
        .where(models.Publication.course_id == course_id)
    )


def _view(
    row: models.Publication,
    course: str,
    by: str | None,
    version: int | None,
    draft: bool | None,  # noqa: FBT001 - a row's columns, in their order
) -> PublicationView:
    return PublicationView(
        id=row.id,
        course=course,
        slug=row.slug,
        title=row.title,
        upload_name=row.upload_name,
        as_draft=row.as_draft,
        state=row.state,
        requested_by=by,
        requested_at=row.requested_at,
        finished_at=row.finished_at,
        step=row.step,
        gate=row.gate,
        problem=row.problem,
        version_number=version,
        hidden=bool(draft),
    )
