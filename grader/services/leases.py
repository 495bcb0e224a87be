"""Leases: who may run an attempt now, and the heartbeat that keeps a lease alive while they do."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import timedelta
from typing import Any
from uuid import UUID, uuid4

from sqlalchemy import select, update

from grader.db import models
from grader.db.database import Database
from grader.db.statements import changed_rows
from grader.domain.attempts import AttemptState
from grader.domain.results import Progress, Stage
from grader.services.heartbeats import SignsOfLife
from grader.services.policy import QueuePolicy


@dataclass(frozen=True, slots=True, kw_only=True)
class Lease:
    """The right to run one attempt, and what its run needs to know. `tries` counts this run too."""

    attempt_id: UUID
    token: UUID
    submission_id: UUID
    version_id: UUID
    seed: str
    tries: int
    time_limit_s: float
    """How long this run may take at most before its lease is left to expire."""


def claim(database: Database, attempt_id: UUID, *, owner: str, policy: QueuePolicy) -> Lease | None:
    """Take the lease of a queued attempt; None if it is not queued (any more), or unknown."""
    token = uuid4()
    with database.writing() as session:
        now = database.now(session)
        row = session.execute(
            update(models.Attempt)
            .where(models.Attempt.id == attempt_id, models.Attempt.state == AttemptState.QUEUED)
            .values(
                state=AttemptState.RUNNING,
                tries=models.Attempt.tries + 1,
                started_at=now,
                lease_owner=owner,
                lease_token=token,
                lease_expires_at=now + timedelta(seconds=policy.lease_s),
                heartbeat_at=now,
                progress=None,
            )
            .returning(
                models.Attempt.submission_id,
                models.Attempt.version_id,
                models.Attempt.seed,
                models.Attempt.tries,
            )
        ).one_or_none()
        if row is None:
            return None
        time_limit_s = session.scalars(
            select(models.AssignmentVersion.time_limit_s).where(models.AssignmentVersion.id == row.version_id)
        ).one()
        return Lease(
            attempt_id=attempt_id,
            token=token,
            submission_id=row.submission_id,
            version_id=row.version_id,
            seed=row.seed,
            tries=row.tries,
            time_limit_s=time_limit_s,
        )


def renew(database: Database, lease: Lease, *, progress: Progress | None, policy: QueuePolicy) -> bool:
    """Move the lease's end on and store the progress; False if the lease has gone to somebody else."""
    with database.writing() as session:
        now = database.now(session)
        beaten = session.execute(
            update(models.Attempt)
            .where(models.Attempt.id == lease.attempt_id, models.Attempt.lease_token == lease.token)
            .values(
                heartbeat_at=now,
                lease_expires_at=now + timedelta(seconds=policy.lease_s),
                progress=None if progress is None else progress_json(progress),
            )
        )
        return changed_rows(beaten) == 1


def progress_json(progress: Progress) -> dict[str, str | int | None]:
    """Progress as the attempt's row keeps it; `progress_of` reads it back."""
    return {
        "stage": progress.stage.value,
        "check_id": progress.check_id,
        "done": progress.done,
        "total": progress.total,
    }


def progress_of(stored: Mapping[str, Any]) -> Progress:
    """Progress as a run wrote it into its attempt's row."""
    return Progress(
        stage=Stage(stored["stage"]),
        check_id=stored["check_id"],
        done=stored["done"],
        total=stored["total"],
    )


class Heartbeat(SignsOfLife):
    """Keeps the lease of an attempt and writes its progress, until its context is left."""

    def __init__(self, database: Database, lease: Lease, *, policy: QueuePolicy) -> None:
        self._progress: Progress | None = None
        super().__init__(
            lambda: renew(database, lease, progress=self._progress, policy=policy),
            what=f"attempt {lease.attempt_id}",
            time_limit_s=lease.time_limit_s,
            policy=policy,
        )

    def progress(self, progress: Progress) -> None:
        """Note how far the run is."""
        self._progress = progress
        self.soon()
