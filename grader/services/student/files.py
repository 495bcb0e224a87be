"""A submission's files: exactly as they came, or compared with those of another submission."""

from __future__ import annotations

from dataclasses import dataclass
from uuid import UUID

from sqlalchemy import select

from grader.db import models
from grader.db.database import Database
from grader.domain.difference import FileDifference, differences
from grader.domain.errors import NotFound
from grader.services import reading
from grader.services.access import Actor, Seat, submission_for
from grader.services.uploads import Upload


@dataclass(frozen=True, slots=True, kw_only=True)
class Comparison:
    """What changed from the submission numbered `old` to the one numbered `new`."""

    seat: Seat
    slug: str
    title: str
    old_id: UUID
    new_id: UUID
    old: int
    new: int
    files: tuple[FileDifference, ...]


def uploaded_file(database: Database, *, actor: Actor, submission_id: UUID, position: int) -> Upload:
    """One file as it was uploaded; NotFound if there is none, or for whoever may not have it."""
    with database.reading() as session:
        submission_for(session, submission_id=submission_id, user_id=actor.user_id)
        row = session.execute(
            select(models.SubmissionFile.name, models.StoredFile.data)
            .join(models.StoredFile, models.StoredFile.sha256 == models.SubmissionFile.sha256)
            .where(
                models.SubmissionFile.submission_id == submission_id,
                models.SubmissionFile.position == position,
            )
        ).one_or_none()
    if row is None:
        raise NotFound("file", f"{position} of submission {submission_id}")
    return Upload(name=row.name, data=row.data)


def compare(database: Database, *, actor: Actor, submission_id: UUID, other_id: UUID) -> Comparison:
    """Two submissions of one student for one assignment, the earlier one as the old."""
    with database.reading() as session:
        one = submission_for(session, submission_id=submission_id, user_id=actor.user_id)
        other = submission_for(session, submission_id=other_id, user_id=actor.user_id)
        alike = (
            one.submission.user_id == other.submission.user_id
            and one.submission.assignment_id == other.submission.assignment_id
        )
        if not alike:
            raise NotFound("submission for the same assignment", str(other_id))
    old, new = sorted((one, other), key=lambda seat: seat.submission.number)
    return Comparison(
        seat=one.seat,
        slug=one.assignment.slug,
        title=one.assignment.title,
        old_id=old.submission.id,
        new_id=new.submission.id,
        old=old.submission.number,
        new=new.submission.number,
        files=differences(
            reading.files_of(database, old.submission.id), reading.files_of(database, new.submission.id)
        ),
    )
