"""From the outbox to the broker: messages are sent after the transaction that wrote them has committed.

A batch is claimed in one short transaction and sent outside of it, so that no lock is held while the broker
is spoken to. Any number of dispatchers may run at once.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime, timedelta
from uuid import UUID, uuid4

from sqlalchemy import Select, or_, select, update

from grader.db import models
from grader.db.database import Database
from grader.services.policy import QueuePolicy
from grader.services.ports import Message, Send

BATCH = 100


@dataclass(frozen=True, slots=True)
class _Claimed:
    row_id: int
    message: Message


def dispatch(database: Database, send: Send, *, policy: QueuePolicy, limit: int = BATCH) -> int:
    """Send up to `limit` waiting messages and return how many were sent.

    BrokerUnavailable passes through; what was not sent stays in the outbox and is free to be tried again.
    """
    token = uuid4()
    claimed = _claim(database, token=token, policy=policy, limit=limit)
    sent: list[_Claimed] = []
    try:
        for item in claimed:
            send(item.message)
            sent.append(item)
    finally:
        if claimed:
            _settle(database, token=token, sent=sent)
    return len(sent)


def _claim(database: Database, *, token: UUID, policy: QueuePolicy, limit: int) -> list[_Claimed]:
    with database.reading() as session:
        # Nearly every poll finds nothing, and must not take SQLite's write lock to learn it.
        if session.scalars(_waiting(database.now(session), limit=1)).first() is None:
            return []
    with database.writing() as session:
        now = database.now(session)
        ids = session.scalars(_waiting(now, limit=limit).with_for_update(skip_locked=True)).all()
        rows = session.scalars(
            update(models.OutboxMessage)
            .where(models.OutboxMessage.id.in_(ids))
            .values(claim_token=token, claimed_until=now + timedelta(seconds=policy.claim_s))
            .returning(models.OutboxMessage)
        )
        return [_Claimed(row.id, _message(row)) for row in sorted(rows, key=lambda row: row.id)]


def _waiting(now: datetime, *, limit: int) -> Select[int]:
    return (
        select(models.OutboxMessage.id)
        .where(
            models.OutboxMessage.sent_at.is_(None),
            models.OutboxMessage.available_at <= now,
            or_(models.OutboxMessage.claimed_until.is_(None), models.OutboxMessage.claimed_until <= now),
        )
        .order_by(models.OutboxMessage.id)
        .limit(limit)
    )


def _message(row: models.OutboxMessage) -> Message:
    return Message(attempt_id=row.attempt_id, queue=row.queue, lane=row.lane, time_limit_s=row.time_limit_s)


def _settle(database: Database, *, token: UUID, sent: list[_Claimed]) -> None:
    """Mark what was sent, and free the rest of this claim."""
    mine = models.OutboxMessage.claim_token == token
    with database.writing() as session:
        now = database.now(session)
        if sent:
            session.execute(
                update(models.OutboxMessage)
                .where(mine, models.OutboxMessage.id.in_([item.row_id for item in sent]))
                .values(sent_at=now, claim_token=None, claimed_until=None)
            )
            session.execute(
                update(models.Attempt)
                .where(models.Attempt.id.in_([item.message.attempt_id for item in sent]))
                .values(dispatched_at=now, dispatches=models.Attempt.dispatches + 1)
            )
        session.execute(update(models.OutboxMessage).where(mine).values(claim_token=None, claimed_until=None))
