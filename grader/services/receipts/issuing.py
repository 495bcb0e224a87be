"""Making the receipt of a submission of what is stored, for its author and for staff."""

from __future__ import annotations

from datetime import UTC, datetime
from uuid import UUID

from sqlalchemy import select
from sqlalchemy.orm import Session

from grader.db import models
from grader.db.database import Database
from grader.domain.lateness import deadline_for, judge
from grader.domain.results import JsonValue
from grader.domain.strict_json import JsonObject
from grader.services.access import Actor, submission_for
from grader.services.receipts.documents import SigningKey, sign
from grader.services.schedules import allowances_in, schedule_of


def receipt_for(
    database: Database, *, actor: Actor, submission_id: UUID, key: SigningKey, server: str = ""
) -> JsonObject:
    """The signed receipt of a submission; `server` is the address at which it was handed in.

    The deadline is the one that holds for its author when the receipt is made; an extension granted later
    shows in a receipt made later. Points are not part of it.
    """
    with database.reading() as session:
        found = submission_for(session, submission_id=submission_id, user_id=actor.user_id)
        submission, zone = found.submission, found.seat.zone
        author = session.get_one(models.User, submission.user_id)
        schedule = schedule_of(session, submission.assignment_id)
        allowances = allowances_in(session, course_id=found.seat.course_id, user_id=author.id)
        allowance = allowances.of(assignment_id=submission.assignment_id, user_id=author.id)
        deadline = deadline_for(schedule, allowance, zone)
        late = judge(submission.received_at, deadline=deadline, schedule=schedule, zone=zone)
        receipt: JsonObject = {
            "server": server,
            "submission_id": str(submission.id),
            "course": found.seat.course_slug,
            "assignment": found.assignment.slug,
            "version": _version(session, submission.id),
            "student": {"login": author.login, "name": author.name},
            "number": submission.number,
            "received_at": _utc(submission.received_at),
            "received_local": submission.received_at.astimezone(zone).isoformat(timespec="seconds"),
            "timezone": zone.key,
            "content_hash": submission.content_hash,
            "files": _files(session, submission.id),
            "deadline": {
                "due_at": _utc(deadline.due_at),
                "closes_at": _utc(deadline.closes_at),
                "extended": deadline.extended,
            },
            "days_late": late.days_late,
            "issued_at": _utc(database.now(session)),
        }
    return sign(receipt, key=key)


def _version(session: Session, submission_id: UUID) -> JsonObject:
    """The version that the submission was first graded against."""
    number, content_hash = session.execute(
        select(models.AssignmentVersion.number, models.AssignmentVersion.content_hash)
        .join(models.Attempt, models.Attempt.version_id == models.AssignmentVersion.id)
        .where(models.Attempt.submission_id == submission_id)
        .order_by(models.Attempt.number)
        .limit(1)
    ).one()
    return {"number": number, "content_hash": content_hash}


def _files(session: Session, submission_id: UUID) -> list[JsonValue]:
    rows = session.execute(
        select(models.SubmissionFile.name, models.SubmissionFile.sha256, models.StoredFile.size)
        .join(models.StoredFile, models.StoredFile.sha256 == models.SubmissionFile.sha256)
        .where(models.SubmissionFile.submission_id == submission_id)
        .order_by(models.SubmissionFile.position)
    )
    return [{"name": row.name, "size": row.size, "sha256": row.sha256} for row in rows]


def _utc(moment: datetime | None) -> str | None:
    if moment is None:
        return None
    return moment.astimezone(UTC).isoformat(timespec="microseconds").replace("+00:00", "Z")
