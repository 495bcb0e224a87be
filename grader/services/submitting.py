"""Handing in: bytes become a numbered, immutable submission, its first attempt and the message announcing it.

All in one transaction: a receipt is given only for what is stored, and what is stored will be graded. An
upload that cannot be read is refused before anything is written and costs nothing. Whether somebody may hand
in (`grader.services.turns`) is asked while their row is locked: of fifty requests at once for the last
submission allowed, one is taken.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from uuid import UUID

from sqlalchemy import func, select
from sqlalchemy.orm import Session

from grader.db import models
from grader.db.database import Database
from grader.domain.attempts import Lane
from grader.domain.errors import Conflict, NotAllowed, NotFound, UploadRefused
from grader.domain.people import Role
from grader.domain.submission import Notice
from grader.services.auditing import Action, Subject, record
from grader.services.files import sha256_of, store_files
from grader.services.people import role_in
from grader.services.publishing import version_for
from grader.services.queueing import enqueue
from grader.services.turns import turn_of
from grader.services.uploads import Upload, WantedFiles, content_hash_of, read, wanted_by


@dataclass(frozen=True, slots=True, kw_only=True)
class Receipt:
    """Proof of a submission, given after it is stored.

    `content_hash` is the SHA-256 of the file; of several files, that of the listing ``sha256sum`` prints for
    them in the order of their names. Either can be checked with that command alone.
    """

    submission_id: UUID
    attempt_id: UUID
    assignment: str
    student: str
    number: int
    received_at: datetime
    content_hash: str
    notices: tuple[Notice, ...] = ()
    repeated: bool = False
    """Whether this submission had been made before, with the same idempotency key."""


def submit(
    database: Database,
    *,
    uploads: Sequence[Upload],
    assignment_id: UUID,
    user_id: UUID,
    idempotency_key: str,
    secret: bytes,
    lane: Lane = Lane.INTERACTIVE,
) -> Receipt:
    """Store a submission and queue its first attempt.

    The same key again returns the first receipt; with other bytes it is a Conflict. UploadRefused,
    NotAllowed, SubmissionClosed and TooManyRequests leave no trace. The time of receipt is the server's clock
    at the call, when the upload is there whole: neither reading it nor waiting for others makes it late.
    """
    if not uploads:
        raise UploadRefused(
            "upload.empty", "upload", "there is no file in it.", "Choose the file to hand in."
        )
    content_hash = content_hash_of(uploads)
    now, wanted = _at_receipt(database, assignment_id=assignment_id)
    # Reading an upload takes a while; it happens before the transaction that other writers have to wait for.
    notices = read(uploads, entry=wanted.entry, functions=wanted.functions).notices
    with database.writing() as session:
        assignment, student, role = _parties(session, assignment_id=assignment_id, user_id=user_id)
        earlier = _earlier(session, assignment_id=assignment_id, user_id=user_id, key=idempotency_key)
        if earlier is not None:
            return _repeated(
                session, earlier, assignment=assignment, student=student, content_hash=content_hash
            )
        turn_of(session, assignment, user_id=user_id, role=role, at=now).require(assignment.slug)
        version = version_for(session, assignment_id)
        submission = models.Submission(
            assignment_id=assignment_id,
            user_id=user_id,
            number=_next_number(session, assignment_id=assignment_id, user_id=user_id),
            received_at=now,
            idempotency_key=idempotency_key,
            content_hash=content_hash,
        )
        session.add(submission)
        session.flush()
        _store_uploads(session, submission.id, uploads, now=now)
        attempt = enqueue(
            session, submission_id=submission.id, version=version, lane=lane, secret=secret, now=now
        )
        record(
            session,
            Action.SUBMISSION_RECEIVED,
            subject=Subject.SUBMISSION,
            subject_id=submission.id,
            at=now,
            actor_id=user_id,
            data={"number": submission.number, "content_hash": content_hash},
        )
        return _receipt(submission, attempt.id, assignment=assignment, student=student, notices=notices)


def _at_receipt(database: Database, *, assignment_id: UUID) -> tuple[datetime, WantedFiles]:
    """The time of receipt, and how the upload is to be read."""
    with database.reading() as session:
        return database.now(session), wanted_by(version_for(session, assignment_id).manifest)


def _parties(
    session: Session, *, assignment_id: UUID, user_id: UUID
) -> tuple[models.Assignment, models.User, Role]:
    """The assignment, the student and their role; their row is locked: they hand in one thing at a time."""
    assignment = session.get(models.Assignment, assignment_id)
    if assignment is None:
        raise NotFound("assignment", str(assignment_id))
    student = session.get(models.User, user_id, with_for_update={"key_share": True})
    if student is None:
        raise NotFound("person", str(user_id))
    role = role_in(session, course_id=assignment.course_id, user_id=user_id)
    if role is None:
        raise NotAllowed(
            f"The user {student.login} is not a member of this course. It cannot hand in {assignment.slug}."
        )
    return assignment, student, role


def _earlier(session: Session, *, assignment_id: UUID, user_id: UUID, key: str) -> models.Submission | None:
    return session.scalar(
        select(models.Submission).where(
            models.Submission.assignment_id == assignment_id,
            models.Submission.user_id == user_id,
            models.Submission.idempotency_key == key,
        )
    )


def _repeated(
    session: Session,
    earlier: models.Submission,
    *,
    assignment: models.Assignment,
    student: models.User,
    content_hash: str,
) -> Receipt:
    if earlier.content_hash != content_hash:
        raise Conflict(
            f"This request was already answered with submission {earlier.number}, for another file. "
            "Hand in again with a new idempotency key."
        )
    first = session.scalars(
        select(models.Attempt.id)
        .where(models.Attempt.submission_id == earlier.id)
        .order_by(models.Attempt.number)
        .limit(1)
    ).one()
    return _receipt(earlier, first, assignment=assignment, student=student, repeated=True)


def _next_number(session: Session, *, assignment_id: UUID, user_id: UUID) -> int:
    last = session.scalar(
        select(func.max(models.Submission.number)).where(
            models.Submission.assignment_id == assignment_id, models.Submission.user_id == user_id
        )
    )
    return 1 if last is None else last + 1


def _store_uploads(
    session: Session, submission_id: UUID, uploads: Sequence[Upload], *, now: datetime
) -> None:
    store_files(session, [upload.data for upload in uploads], now=now)
    session.add_all(
        models.SubmissionFile(
            submission_id=submission_id,
            position=position,
            name=upload.name,
            sha256=sha256_of(upload.data),
        )
        for position, upload in enumerate(uploads)
    )


def _receipt(
    submission: models.Submission,
    attempt_id: UUID,
    *,
    assignment: models.Assignment,
    student: models.User,
    notices: tuple[Notice, ...] = (),
    repeated: bool = False,
) -> Receipt:
    return Receipt(
        submission_id=submission.id,
        attempt_id=attempt_id,
        assignment=assignment.slug,
        student=student.login,
        number=submission.number,
        received_at=submission.received_at,
        content_hash=submission.content_hash,
        notices=notices,
        repeated=repeated,
    )
