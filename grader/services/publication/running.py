"""Running a gate on a worker: unpacked, graded, and published if it opens."""

from __future__ import annotations

import logging
import tempfile
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from uuid import UUID

from grader.db import models
from grader.db.database import Database
from grader.domain.errors import AssignmentInvalid, GraderError, SealUnavailable, UploadRefused
from grader.domain.publication import PublicationState
from grader.domain.results import AttemptResult, Progress
from grader.domain.rubric import Assignment, Rubric
from grader.domain.student_bundle import Recorded
from grader.domain.submission import SubmittedFiles
from grader.domain.text import one_line
from grader.services import gate_json
from grader.services.auditing import Action, Subject, record
from grader.services.bundling import make_bundle
from grader.services.gate import run_gate
from grader.services.policy import QueuePolicy
from grader.services.ports import GateWorkerEngine
from grader.services.publication.leases import Beat, GateLease, claim, settle
from grader.services.publication.requests import place_in_folder, unpacked
from grader.services.publishing import publish

logger = logging.getLogger(__name__)

_LONGEST_PROBLEM = 2000


def run(
    publication_id: UUID, *, database: Database, engine: GateWorkerEngine, policy: QueuePolicy
) -> PublicationState | None:
    """Run a queued publication's gate and settle it; None where somebody else has it.

    Raises SealUnavailable after giving it back: a machine that cannot seal must take no more.
    """
    lease = claim(database, publication_id, policy=policy)
    if lease is None:
        return None
    try:
        with tempfile.TemporaryDirectory(prefix="grader-gate-") as scratch:
            root = Path(scratch) / "folder"
            try:
                return _gate(lease, root, database=database, engine=engine, policy=policy)
            except AssignmentInvalid as error:
                says = f"{place_in_folder(error, root)}: {error.problem} {error.remedy}".strip()
                return _broken(database, lease, says)
    except UploadRefused as error:
        return _broken(database, lease, str(error))
    except SealUnavailable:
        _settle(database, lease, state=PublicationState.QUEUED, dispatched_at=None, tries=lease.tries - 1)
        raise
    except Exception as error:
        # The boundary: what escapes is a fault of ours, and the publication must not be lost.
        logger.exception("the gate of publication %s failed", publication_id)
        says = str(error) if isinstance(error, GraderError) else f"{type(error).__name__}: {error}"
        if lease.tries < policy.max_tries:
            return _settle(database, lease, state=PublicationState.QUEUED, dispatched_at=None, problem=says)
        return _broken(database, lease, f"the grader failed: {says}")


@dataclass(frozen=True, slots=True, kw_only=True)
class _WithoutProgress:
    """A worker's engine as the gate, and the making of a bundle, use one."""

    engine: GateWorkerEngine

    def rubric(self, assignment: Assignment) -> Rubric:
        return self.engine.rubric(assignment)

    def record(self, solution: SubmittedFiles, assignment: Assignment, *, seed: str) -> Recorded:
        return self.engine.record(solution, assignment, seed=seed)

    def grade(self, files: SubmittedFiles, assignment: Assignment, *, seed: str) -> AttemptResult:
        return self.engine.grade(files, assignment, seed=seed, on_progress=_ignore)


def _ignore(_: Progress) -> None:
    """Steps of the gate are whole programs."""


def _gate(
    lease: GateLease, root: Path, *, database: Database, engine: GateWorkerEngine, policy: QueuePolicy
) -> PublicationState:
    with database.reading() as session:
        data = session.get_one(models.StoredFile, lease.upload_sha256).data
    assignment = unpacked(data, lease.upload_name, root)
    plain = _WithoutProgress(engine=engine)
    with Beat(database, lease, policy=policy) as beat:
        report = run_gate(assignment, plain, on_step=beat.step)
        bundle = make_bundle(assignment, plain) if report.passed else None
    found = gate_json.as_json(report)
    if bundle is None:
        return _settle(database, lease, state=PublicationState.REFUSED, gate=found)
    version = publish(
        database,
        course_id=lease.course_id,
        assignment=assignment,
        rubric=report.rubric,
        published_by=lease.requested_by,
        bundle=bundle.data if bundle.checks else None,
        as_draft=lease.as_draft,
    )
    state = PublicationState.PUBLISHED if version.created else PublicationState.UNCHANGED
    return _settle(database, lease, state=state, gate=found, version_id=version.version_id, problem=None)


def _broken(database: Database, lease: GateLease, says: str) -> PublicationState:
    problem = one_line(says, _LONGEST_PROBLEM)
    return _settle(database, lease, state=PublicationState.BROKEN, problem=problem)


def _settle(
    database: Database,
    lease: GateLease,
    *,
    state: PublicationState,
    **values: Any,  # noqa: ANN401 - any column
) -> PublicationState:
    """Write how it ended; a lease that was lost meanwhile leaves the word to whoever has it now."""
    with database.writing() as session:
        now = database.now(session)
        values |= {"finished_at": now} if state.final else {}
        if settle(session, lease, state=state, **values) and state is PublicationState.REFUSED:
            record(
                session,
                Action.PUBLICATION_REFUSED,
                subject=Subject.PUBLICATION,
                subject_id=lease.publication_id,
                at=now,
            )
    return state
