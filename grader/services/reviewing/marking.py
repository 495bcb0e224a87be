"""Saying that a submission has been looked at, and having it graded once more."""

from __future__ import annotations

from uuid import UUID

from sqlalchemy import select
from sqlalchemy.orm import Session

from grader.db import models
from grader.db.database import Database
from grader.domain.attempts import FINAL_STATES, Lane
from grader.domain.errors import Conflict
from grader.services.access import Actor, submission_under_review
from grader.services.auditing import Action, Subject, record
from grader.services.counting import Scope, counting_attempts
from grader.services.queueing import enqueue
from grader.services.reviewing.versions import advance, lock


def mark_reviewed(
    database: Database, *, actor: Actor, submission_id: UUID, seen: int, reviewed: bool = True
) -> int:
    """Mark a submission as reviewed, or as not; returns the review's new version."""
    with database.writing() as session:
        found = submission_under_review(session, submission_id=submission_id, user_id=actor.user_id)
        found.seat.require_staff()
        lock(session, submission_id)
        review = advance(session, submission_id, seen=seen)
        now = database.now(session)
        review.reviewed_at = now if reviewed else None
        review.reviewed_by = actor.user_id if reviewed else None
        record(
            session,
            Action.REVIEW_MARKED,
            subject=Subject.SUBMISSION,
            subject_id=submission_id,
            at=now,
            actor_id=actor.user_id,
            data={"reviewed": reviewed},
        )
        return review.version


def grade_again(database: Database, *, actor: Actor, submission_id: UUID, secret: bytes) -> UUID:
    """Queue one more attempt of a submission; returns the attempt's id.

    It is graded against the version that its counting attempt was: moving to a newer one is for a regrade
    plan, which treats everybody alike. Conflict while an attempt waits or runs: a double click grades once.
    """
    with database.writing() as session:
        found = submission_under_review(session, submission_id=submission_id, user_id=actor.user_id)
        found.seat.require_staff()
        lock(session, submission_id)
        pending = session.scalar(
            select(models.Attempt.number)
            .where(
                models.Attempt.submission_id == submission_id,
                models.Attempt.state.not_in(tuple(FINAL_STATES)),
            )
            .limit(1)
        )
        if pending is not None:
            raise Conflict(
                f"Attempt {pending} of this submission is still being graded; wait for its result."
            )
        now = database.now(session)
        attempt = enqueue(
            session,
            submission_id=submission_id,
            version=_version_of(session, submission_id),
            lane=Lane.INTERACTIVE,
            secret=secret,
            now=now,
        )
        record(
            session,
            Action.ATTEMPT_REQUESTED,
            subject=Subject.ATTEMPT,
            subject_id=attempt.id,
            at=now,
            actor_id=actor.user_id,
            data={"submission": str(submission_id)},
        )
        return attempt.id


def _version_of(session: Session, submission_id: UUID) -> models.AssignmentVersion:
    """The version of the attempt that counts, or, where none does yet, of the first."""
    counting = counting_attempts(session, Scope(submission_ids=[submission_id])).get(submission_id)
    if counting is not None:
        return session.get_one(models.AssignmentVersion, counting.version_id)
    return session.scalars(
        select(models.AssignmentVersion)
        .join(models.Attempt, models.Attempt.version_id == models.AssignmentVersion.id)
        .where(models.Attempt.submission_id == submission_id)
        .order_by(models.Attempt.number)
        .limit(1)
    ).one()
