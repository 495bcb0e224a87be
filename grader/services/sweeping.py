"""The sweeper: finds what nobody works on any more, and what the broker forgot. Any number may run at once.

Two things get lost without anybody's fault: a worker dies (its lease expires), and a message dies with the
broker (a queued attempt that was announced long ago). Both are put right from the database alone.
"""

from __future__ import annotations

import itertools
from dataclasses import dataclass
from datetime import datetime, timedelta

from sqlalchemy import delete, select, update
from sqlalchemy.orm import Session

from grader.db import models
from grader.db.database import Database
from grader.db.statements import changed_rows
from grader.domain.attempts import AttemptState
from grader.services.auditing import Action, Subject, record
from grader.services.policy import QueuePolicy
from grader.services.queueing import announce, requeue

BATCH = 200


@dataclass(frozen=True, slots=True, kw_only=True)
class Swept:
    """What one sweep did, in attempts; `pruned` in outbox rows."""

    requeued: int = 0
    abandoned: int = 0
    resent: int = 0
    pruned: int = 0


def sweep(database: Database, *, policy: QueuePolicy) -> Swept:
    """Put right what has been lost. Each repair is a transaction of its own, so that writers wait little."""
    requeued = abandoned = 0
    with database.reading() as session:
        now = database.now(session)
        expired = _expired(session, now=now)
        forgotten = _forgotten(session, now=now, policy=policy)
    for attempt in expired:
        state = _recover(database, attempt, policy=policy)
        requeued += state is AttemptState.QUEUED
        abandoned += state is AttemptState.ABANDONED
    resent = sum(_announce_again(database, attempt) for attempt in forgotten)
    pruned = _prune(database, policy=policy)
    return Swept(requeued=requeued, abandoned=abandoned, resent=resent, pruned=pruned)


def _expired(session: Session, *, now: datetime) -> list[models.Attempt]:
    return list(
        session.scalars(
            select(models.Attempt)
            .where(
                models.Attempt.state == AttemptState.RUNNING,
                models.Attempt.lease_expires_at <= now,
            )
            .order_by(models.Attempt.lease_expires_at)
            .limit(BATCH)
        )
    )


def _forgotten(session: Session, *, now: datetime, policy: QueuePolicy) -> list[models.Attempt]:
    """Queued attempts whose last message is older than the policy's patience with it."""
    candidates = session.scalars(
        select(models.Attempt)
        .where(
            models.Attempt.state == AttemptState.QUEUED,
            models.Attempt.dispatched_at <= now - policy.resend_after(0),
        )
        .order_by(models.Attempt.queued_at)
    )
    due = (
        attempt
        for attempt in candidates
        if attempt.dispatched_at is not None
        and attempt.dispatched_at <= now - policy.resend_after(attempt.dispatches)
    )
    return list(itertools.islice(due, BATCH))


def _recover(database: Database, attempt: models.Attempt, *, policy: QueuePolicy) -> AttemptState | None:
    """Queue an attempt whose worker is gone again, or abandon it; None if its lease has changed meanwhile."""
    token = attempt.lease_token
    if token is None:
        return None
    reason = f"the worker {attempt.lease_owner} stopped giving signs of life during try {attempt.tries}"
    with database.writing() as session:
        now = database.now(session)
        if not _still_expired(session, attempt, now=now):
            return None
        if attempt.tries < policy.max_tries:
            requeue(session, attempt.id, lease_token=token, reason=reason, now=now)
            return AttemptState.QUEUED
        session.execute(
            update(models.Attempt)
            .where(models.Attempt.id == attempt.id, models.Attempt.lease_token == token)
            .values(
                state=AttemptState.ABANDONED,
                finished_at=now,
                lease_token=None,
                lease_expires_at=None,
                progress=None,
                failure_reason=f"{reason}; no tries are left",
            )
        )
        record(
            session,
            Action.ATTEMPT_ABANDONED,
            subject=Subject.ATTEMPT,
            subject_id=attempt.id,
            at=now,
            data={"reason": reason, "tries": attempt.tries},
        )
        return AttemptState.ABANDONED


def _still_expired(session: Session, attempt: models.Attempt, *, now: datetime) -> bool:
    """Look again under a lock: the worker may have given a late sign of life, or another sweeper come by."""
    query = (
        select(models.Attempt.id)
        .where(
            models.Attempt.id == attempt.id,
            models.Attempt.lease_token == attempt.lease_token,
            models.Attempt.lease_expires_at <= now,
        )
        .with_for_update()
    )
    return session.scalar(query) is not None


def _announce_again(database: Database, attempt: models.Attempt) -> bool:
    """Write the message anew, unless the attempt has been started or announced since it was looked at."""
    with database.writing() as session:
        query = (
            select(models.Attempt.id)
            .where(
                models.Attempt.id == attempt.id,
                models.Attempt.state == AttemptState.QUEUED,
                models.Attempt.dispatched_at == attempt.dispatched_at,
            )
            .with_for_update()
        )
        if session.scalar(query) is None:
            return False
        announce(session, attempt.id, now=database.now(session))
        return True


def _prune(database: Database, *, policy: QueuePolicy) -> int:
    """Forget messages sent long ago."""
    with database.reading() as session:
        before = database.now(session) - timedelta(seconds=policy.keep_sent_s)
        old = session.scalars(
            select(models.OutboxMessage.id).where(models.OutboxMessage.sent_at < before).limit(BATCH)
        ).all()
    if not old:
        return 0
    with database.writing() as session:
        gone = session.execute(delete(models.OutboxMessage).where(models.OutboxMessage.id.in_(old)))
        return changed_rows(gone)
