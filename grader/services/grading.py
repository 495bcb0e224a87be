"""Running one attempt: take the lease, keep it alive while the engine works, and settle exactly once.

Whatever happens to the worker, the row tells the truth. A run that cannot finish is noticed when its lease
expires (`sweeping`); a run that finishes after its lease went to another finds its token gone, and its result
is dropped and recorded. A fault that is not the student's is retried a bounded number of times and then shown
to staff: it never becomes a zero.
"""

from __future__ import annotations

import logging
from collections.abc import Callable
from pathlib import Path
from uuid import UUID

from grader.db.database import Database
from grader.domain.attempts import RunOutcome
from grader.domain.errors import AssignmentInvalid, EngineFault, GraderError, SealUnavailable
from grader.domain.results import AttemptResult, Progress
from grader.domain.submission import SubmittedFiles
from grader.domain.text import listing, one_line
from grader.domain.verdicts import Blame
from grader.services.leases import Heartbeat, Lease, claim
from grader.services.policy import QueuePolicy
from grader.services.ports import GradingEngine
from grader.services.publishing import materialise_version
from grader.services.settling import Fault, give_back, settle_fault, settle_graded
from grader.services.uploads import load_uploads, read

logger = logging.getLogger(__name__)


def run(
    attempt_id: UUID,
    *,
    database: Database,
    engine: GradingEngine,
    cache: Path,
    owner: str,
    policy: QueuePolicy,
) -> RunOutcome:
    """Grade a queued attempt. Safe to call twice or at once: only one call gets the lease.

    `cache` is where assignment versions are unpacked, `owner` names this worker to staff. Raises
    SealUnavailable after giving the attempt back: a machine that cannot seal must take no more.
    """
    lease = claim(database, attempt_id, owner=owner, policy=policy)
    if lease is None:
        return RunOutcome.NOT_QUEUED
    try:
        with Heartbeat(database, lease, policy=policy) as heartbeat:
            result, files = _grade(
                lease, database=database, engine=engine, cache=cache, on_progress=heartbeat.progress
            )
        if result.graded:
            return settle_graded(database, lease, result, source=files)
        return settle_fault(database, lease, _unjudged(result, files), policy=policy)
    except SealUnavailable as error:
        give_back(database, lease, reason=str(error), policy=policy)
        raise
    except Exception as error:
        # The boundary: what escapes is a fault of ours or of the course, and the attempt must not be lost.
        logger.exception("attempt %s could not be graded", attempt_id)
        return settle_fault(database, lease, _fault_of(error), policy=policy)


def _grade(
    lease: Lease,
    *,
    database: Database,
    engine: GradingEngine,
    cache: Path,
    on_progress: Callable[[Progress], None],
) -> tuple[AttemptResult, SubmittedFiles]:
    assignment = materialise_version(database, lease.version_id, cache=cache)
    with database.reading() as session:
        uploads = load_uploads(session, lease.submission_id)
    files = read(
        uploads, entry=assignment.entry, functions=[function.name for function in assignment.functions]
    )
    result = engine.grade(files, assignment, seed=lease.seed, on_progress=on_progress)
    if (result.version, result.seed) != (assignment.version, lease.seed):
        raise EngineFault("the engine's result is for another version or seed than it was asked for")
    return result, files


def _fault_of(error: Exception) -> Fault:
    """An invalid assignment stays invalid; anything else may have been bad luck."""
    message = str(error) if isinstance(error, GraderError) else f"{type(error).__name__}: {error}"
    return Fault(reason=one_line(message, 2000), retry=not isinstance(error, AssignmentInvalid))


def _unjudged(result: AttemptResult, files: SubmittedFiles) -> Fault:
    """A result with checks that nobody could judge. Only the system's faults may go away by themselves."""
    lost = [check for check in result.results if check.earned is None]
    reason = f"not judged: {listing([check.spec.id for check in lost])}"
    retry = any(check.blame is Blame.SYSTEM for check in lost)
    return Fault(reason=reason, retry=retry, result=result, source=files)
