"""How an attempt enters the queue, and enters it again. Each function works in its caller's transaction."""

from __future__ import annotations

from datetime import datetime, timedelta
from uuid import UUID, uuid4

from sqlalchemy import func, select, update
from sqlalchemy.orm import Session

from grader.db import models
from grader.db.statements import changed_rows
from grader.domain.attempts import AttemptState, Lane
from grader.services.seeding import derive_seed


def enqueue(
    session: Session,
    *,
    submission_id: UUID,
    version: models.AssignmentVersion,
    lane: Lane,
    secret: bytes,
    now: datetime,
) -> models.Attempt:
    """Add the next attempt of a submission and the message that announces it."""
    attempt_id = uuid4()
    attempt = models.Attempt(
        id=attempt_id,
        submission_id=submission_id,
        version_id=version.id,
        number=_next_number(session, submission_id),
        state=AttemptState.QUEUED,
        queue=version.queue,
        lane=lane,
        seed=derive_seed(secret, attempt_id),
        created_at=now,
        queued_at=now,
    )
    session.add(attempt)
    session.flush()
    announce(session, attempt_id, now=now)
    return attempt


def requeue(
    session: Session,
    attempt_id: UUID,
    *,
    lease_token: UUID,
    reason: str,
    now: datetime,
    delay_s: float = 0.0,
) -> bool:
    """Put a running attempt back into the queue, if the lease is still the one given."""
    changed = session.execute(
        update(models.Attempt)
        .where(models.Attempt.id == attempt_id, models.Attempt.lease_token == lease_token)
        .values(
            state=AttemptState.QUEUED,
            lease_owner=None,
            lease_token=None,
            lease_expires_at=None,
            progress=None,
            failure_reason=reason,
        )
    )
    if changed_rows(changed) != 1:
        return False
    announce(session, attempt_id, now=now, delay_s=delay_s)
    return True


def announce(session: Session, attempt_id: UUID, *, now: datetime, delay_s: float = 0.0) -> None:
    """Write a queued attempt's message into the outbox."""
    attempt, time_limit_s = session.execute(
        select(models.Attempt, models.AssignmentVersion.time_limit_s)
        .join(models.AssignmentVersion, models.AssignmentVersion.id == models.Attempt.version_id)
        .where(models.Attempt.id == attempt_id)
    ).one()
    attempt.dispatched_at = None
    session.add(
        models.OutboxMessage(
            attempt_id=attempt_id,
            queue=attempt.queue,
            lane=attempt.lane,
            time_limit_s=time_limit_s,
            created_at=now,
            available_at=now + timedelta(seconds=delay_s),
        )
    )


def _next_number(session: Session, submission_id: UUID) -> int:
    last = session.scalar(
        select(func.max(models.Attempt.number)).where(models.Attempt.submission_id == submission_id)
    )
    return 1 if last is None else last + 1
