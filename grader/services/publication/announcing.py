"""Telling workers of folders that wait for their gate, again if nobody has taken one up.

There is no row in the outbox for them: the publication's own row says when it was last announced, and
whoever announces it claims that first. A message too many is harmless, since a gate is leased.
"""

from __future__ import annotations

from datetime import datetime

from sqlalchemy import or_, select, update
from sqlalchemy.orm import Session

from grader.db import models
from grader.db.database import Database
from grader.db.statements import changed_rows
from grader.domain.publication import PublicationState
from grader.services.policy import QueuePolicy
from grader.services.ports import GateMessage, Send

GONE = "the worker that ran the gate stopped giving signs of life"


def announce_publications(database: Database, send: Send, *, policy: QueuePolicy) -> int:
    """Send a message for each publication that is due; returns how many were sent.

    If the broker is away, BrokerUnavailable comes through, and what was claimed is sent after the policy's
    patience.
    """
    with database.reading() as session:
        # Nearly every time there is none, and SQLite's write lock must not be taken to learn that.
        due = _due(session, now=database.now(session), policy=policy)
    sent = 0
    for row in due:
        if _claim(database, row):
            send(GateMessage(publication_id=row.id, queue=row.queue, time_limit_s=row.time_limit_s))
            sent += 1
    return sent


def recover_publications(database: Database, *, policy: QueuePolicy) -> int:
    """Queue again what dead workers have left, or give it up; returns how many there were."""
    running = models.Publication.state == PublicationState.RUNNING
    with database.reading() as session:
        now = database.now(session)
        lost = session.scalars(
            select(models.Publication).where(running, models.Publication.lease_expires_at <= now)
        ).all()
    for row in lost:
        again = row.tries < policy.max_tries
        with database.writing() as session:
            now = database.now(session)
            session.execute(
                update(models.Publication)
                .where(
                    models.Publication.id == row.id,
                    models.Publication.lease_token == row.lease_token,
                    models.Publication.lease_expires_at <= now,
                )
                .values(
                    state=PublicationState.QUEUED if again else PublicationState.BROKEN,
                    lease_token=None,
                    lease_expires_at=None,
                    dispatched_at=None,
                    step=None,
                    problem=GONE if again else f"{GONE}; no tries are left",
                    finished_at=None if again else now,
                ),
                execution_options={"synchronize_session": False},
            )
    return len(lost)


def _due(session: Session, *, now: datetime, policy: QueuePolicy) -> list[models.Publication]:
    waiting = session.scalars(
        select(models.Publication)
        .where(
            models.Publication.state == PublicationState.QUEUED,
            or_(
                models.Publication.dispatched_at.is_(None),
                models.Publication.dispatched_at <= now - policy.resend_after(0),
            ),
        )
        .order_by(models.Publication.requested_at)
    )
    return [
        row
        for row in waiting
        if row.dispatched_at is None or row.dispatched_at <= now - policy.resend_after(row.dispatches)
    ]


def _claim(database: Database, row: models.Publication) -> bool:
    """Take on the sending, unless somebody has since it was looked at."""
    unchanged = (
        models.Publication.dispatched_at.is_(None)
        if row.dispatched_at is None
        else models.Publication.dispatched_at == row.dispatched_at
    )
    with database.writing() as session:
        claimed = session.execute(
            update(models.Publication)
            .where(
                models.Publication.id == row.id,
                models.Publication.state == PublicationState.QUEUED,
                unchanged,
            )
            .values(dispatched_at=database.now(session), dispatches=models.Publication.dispatches + 1),
            execution_options={"synchronize_session": False},
        )
        return changed_rows(claimed) == 1
