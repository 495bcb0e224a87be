"""Who runs a gate: claimed by one worker at a time, kept by signs of life, ended once.

As with attempts, every change compares the lease's token first.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import timedelta
from typing import Any
from uuid import UUID, uuid4

from sqlalchemy import update
from sqlalchemy.orm import Session

from grader.db import models
from grader.db.database import Database
from grader.db.statements import changed_rows
from grader.domain.publication import PublicationState
from grader.services.gate import GateStep
from grader.services.heartbeats import SignsOfLife
from grader.services.policy import QueuePolicy


@dataclass(frozen=True, slots=True, kw_only=True)
class GateLease:
    """The right to run one publication's gate, and what is needed for it."""

    publication_id: UUID
    token: UUID
    tries: int
    course_id: UUID
    requested_by: UUID | None
    upload_name: str
    upload_sha256: str
    as_draft: bool
    time_limit_s: float


def claim(database: Database, publication_id: UUID, *, policy: QueuePolicy) -> GateLease | None:
    """The lease of a queued publication; None if it is not queued (any more)."""
    token = uuid4()
    with database.writing() as session:
        now = database.now(session)
        claimed = session.execute(
            update(models.Publication)
            .where(
                models.Publication.id == publication_id, models.Publication.state == PublicationState.QUEUED
            )
            .values(
                state=PublicationState.RUNNING,
                lease_token=token,
                lease_expires_at=now + timedelta(seconds=policy.lease_s),
                tries=models.Publication.tries + 1,
                step=None,
            ),
            execution_options={"synchronize_session": False},
        )
        if changed_rows(claimed) != 1:
            return None
        row = session.get_one(models.Publication, publication_id)
        return GateLease(
            publication_id=row.id,
            token=token,
            tries=row.tries,
            course_id=row.course_id,
            requested_by=row.requested_by,
            upload_name=row.upload_name,
            upload_sha256=row.upload_sha256,
            as_draft=row.as_draft,
            time_limit_s=row.time_limit_s,
        )


def settle(session: Session, lease: GateLease, **values: Any) -> bool:  # noqa: ANN401 - any column
    """End the run (or put it back into the queue), if the lease still holds."""
    ended = session.execute(
        update(models.Publication)
        .where(models.Publication.id == lease.publication_id, models.Publication.lease_token == lease.token)
        .values(lease_token=None, lease_expires_at=None, step=None, **values),
        execution_options={"synchronize_session": False},
    )
    return changed_rows(ended) == 1


class Beat(SignsOfLife):
    """Keeps the lease of a gate and writes which program is being graded, until its context is left."""

    def __init__(self, database: Database, lease: GateLease, *, policy: QueuePolicy) -> None:
        self._step: dict[str, Any] | None = None
        super().__init__(
            lambda: _renew(database, lease, step=self._step, policy=policy),
            what=f"the gate of publication {lease.publication_id}",
            time_limit_s=lease.time_limit_s,
            policy=policy,
        )

    def step(self, step: GateStep) -> None:
        """Note which program is being graded."""
        self._step = {"title": step.title, "number": step.number, "total": step.total}
        self.soon()


def _renew(database: Database, lease: GateLease, *, step: dict[str, Any] | None, policy: QueuePolicy) -> bool:
    """Whether the lease still held, and holds on."""
    with database.writing() as session:
        until = database.now(session) + timedelta(seconds=policy.lease_s)
        renewed = session.execute(
            update(models.Publication)
            .where(
                models.Publication.id == lease.publication_id, models.Publication.lease_token == lease.token
            )
            .values(lease_expires_at=until, step=step),
            execution_options={"synchronize_session": False},
        )
        return changed_rows(renewed) == 1
