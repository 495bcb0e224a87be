"""How a run of an attempt ends. Every ending compares the lease's token first, so that it happens once."""

from __future__ import annotations

import logging
from dataclasses import dataclass
from datetime import datetime
from typing import Any
from uuid import UUID

from sqlalchemy import update
from sqlalchemy.orm import Session

from grader.db import models
from grader.db.database import Database
from grader.db.statements import changed_rows
from grader.domain.attempts import AttemptState, RunOutcome
from grader.domain.results import AttemptResult, CheckResult
from grader.domain.shapes import shape_at
from grader.domain.stored import dump
from grader.domain.submission import SubmittedFiles
from grader.services.auditing import Action, Subject, record
from grader.services.leases import Lease
from grader.services.policy import QueuePolicy
from grader.services.queueing import requeue

logger = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True, kw_only=True)
class Fault:
    """Why a run gave no grade, in words for staff, and whether another run could do better."""

    reason: str
    retry: bool
    result: AttemptResult | None = None
    """What was judged all the same, of which files."""
    source: SubmittedFiles | None = None


def settle_graded(
    database: Database, lease: Lease, result: AttemptResult, *, source: SubmittedFiles
) -> RunOutcome:
    """Store a complete result."""
    with database.writing() as session:
        now = database.now(session)
        final: dict[str, Any] = {
            "state": AttemptState.GRADED,
            "score": result.score,
            "failure_reason": None,
            **_stored(result),
        }
        if not _finish(session, lease, now=now, values=final):
            return _dropped(session, lease, now=now, found="a result")
        session.add_all(check_rows(lease.attempt_id, result, source))
        return RunOutcome.GRADED


def settle_fault(database: Database, lease: Lease, fault: Fault, *, policy: QueuePolicy) -> RunOutcome:
    """Queue the attempt again, or leave it to staff when another run would not help or tries are used up."""
    with database.writing() as session:
        now = database.now(session)
        if fault.retry and lease.tries < policy.max_tries:
            delay_s = policy.retry_delay_s * 2 ** (lease.tries - 1)
            if requeue(
                session,
                lease.attempt_id,
                lease_token=lease.token,
                reason=fault.reason,
                now=now,
                delay_s=delay_s,
            ):
                return RunOutcome.WILL_RETRY
            return _dropped(session, lease, now=now, found=fault.reason)
        final: dict[str, Any] = {
            "state": AttemptState.NOT_GRADED,
            "failure_reason": fault.reason,
            **_stored(fault.result),
        }
        if not _finish(session, lease, now=now, values=final):
            return _dropped(session, lease, now=now, found=fault.reason)
        if fault.result is not None:
            session.add_all(check_rows(lease.attempt_id, fault.result, fault.source))
        record(
            session,
            Action.ATTEMPT_NOT_GRADED,
            subject=Subject.ATTEMPT,
            subject_id=lease.attempt_id,
            at=now,
            data={"reason": fault.reason, "tries": lease.tries},
        )
        return RunOutcome.NOT_GRADED


def give_back(database: Database, lease: Lease, *, reason: str, policy: QueuePolicy) -> None:
    """Queue the attempt again as if this run had not been: it is this worker that cannot run anything."""
    with database.writing() as session:
        now = database.now(session)
        if requeue(
            session,
            lease.attempt_id,
            lease_token=lease.token,
            reason=reason,
            now=now,
            delay_s=policy.retry_delay_s,
        ):
            session.execute(
                update(models.Attempt)
                .where(models.Attempt.id == lease.attempt_id)
                .values(tries=models.Attempt.tries - 1)
            )


def _finish(session: Session, lease: Lease, *, now: datetime, values: dict[str, Any]) -> bool:
    ended = session.execute(
        update(models.Attempt)
        .where(models.Attempt.id == lease.attempt_id, models.Attempt.lease_token == lease.token)
        .values(
            finished_at=now,
            lease_token=None,
            lease_expires_at=None,
            progress=None,
            **values,
        )
    )
    return changed_rows(ended) == 1


def _stored(result: AttemptResult | None) -> dict[str, Any]:
    if result is None:
        return {}
    flags = len(result.flags) + sum(len(check.flags) for check in result.results)
    return {"result": dump(result), "max_score": result.max_score, "flag_count": flags}


def check_rows(
    attempt_id: UUID, result: AttemptResult, source: SubmittedFiles | None
) -> list[models.CheckResult]:
    """The checks of a result as rows; with `source` each failure is told by the shape of its line."""
    return [_check_row(attempt_id, position, check, source) for position, check in enumerate(result.results)]


def _check_row(
    attempt_id: UUID, position: int, check: CheckResult, source: SubmittedFiles | None
) -> models.CheckResult:
    feedback = check.feedback
    row = models.CheckResult(
        attempt_id=attempt_id,
        check_id=check.spec.id,
        position=position,
        verdict=check.verdict,
        blame=check.blame,
        points=check.spec.points,
        earned=check.earned,
    )
    if feedback is not None:
        row.code, row.line = feedback.code, feedback.line
        if source is not None and feedback.line is not None:
            row.file = feedback.file or source.entry
            row.shape = shape_at(source, feedback.line, file=feedback.file)
    return row


def _dropped(session: Session, lease: Lease, *, now: datetime, found: str) -> RunOutcome:
    logger.warning("attempt %s was given to another worker meanwhile; dropped %s", lease.attempt_id, found)
    record(
        session,
        Action.RESULT_DROPPED,
        subject=Subject.ATTEMPT,
        subject_id=lease.attempt_id,
        at=now,
        data={"dropped": found, "lease": str(lease.token)},
    )
    return RunOutcome.LEASE_LOST
