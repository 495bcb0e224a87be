"""Questions about submissions and attempts, answered with plain values that outlive the session."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from fractions import Fraction
from statistics import median
from uuid import UUID

from sqlalchemy import ColumnElement, Select, and_, func, or_, select
from sqlalchemy.orm import Session, defer

from grader.db import models
from grader.db.database import Database
from grader.domain.attempts import STATES_FOR_STAFF, AttemptState, Lane, Queue
from grader.domain.errors import NotFound
from grader.domain.results import AttemptResult, Progress, Stage
from grader.domain.stored import load
from grader.domain.submission import SubmittedFiles
from grader.services.leases import progress_of
from grader.services.uploads import load_uploads, read, wanted_by

_RECENT = 20
"""Finished attempts from which the usual duration is estimated."""


@dataclass(frozen=True, slots=True, kw_only=True)
class QueuePosition:
    """Where a queued attempt stands: so many `ahead` of it; `wait_s` is None where nobody can say."""

    ahead: int
    running: int
    wait_s: float | None


@dataclass(frozen=True, slots=True, kw_only=True)
class AttemptView:
    """One attempt as lists and progress lines show it. Points are exact; `score` is None unless graded."""

    id: UUID
    submission_id: UUID
    version_id: UUID
    assignment: str
    student: str
    student_name: str
    submission_number: int
    number: int
    received_at: datetime
    content_hash: str
    state: AttemptState
    queue: Queue
    lane: Lane
    tries: int
    progress: Progress
    worker: str | None
    started_at: datetime | None
    finished_at: datetime | None
    score: Fraction | None
    max_score: Fraction | None
    failure_reason: str | None

    @property
    def title(self) -> str:
        """How people speak of it."""
        return f"submission {self.submission_number}, attempt {self.number}"


@dataclass(frozen=True, slots=True, kw_only=True)
class AttemptFilter:
    """Which attempts to list; what is None or empty does not restrict."""

    ids: tuple[UUID, ...] = ()
    assignment_id: UUID | None = None
    user_id: UUID | None = None
    submission_id: UUID | None = None
    states: frozenset[AttemptState] = frozenset()


FOR_STAFF = AttemptFilter(states=STATES_FOR_STAFF)
"""What ended without a grade through no fault of the student's: somebody must look."""


def attempt(database: Database, attempt_id: UUID) -> AttemptView:
    """One attempt; NotFound if there is none."""
    found = attempts(database, AttemptFilter(ids=(attempt_id,)), limit=1)
    if not found:
        raise NotFound("attempt", str(attempt_id))
    return found[0]


def attempts(database: Database, wanted: AttemptFilter, *, limit: int = 500) -> tuple[AttemptView, ...]:
    """Attempts by the time of their submission, newest first."""
    query = _views().order_by(models.Submission.received_at.desc(), models.Attempt.number.desc()).limit(limit)
    with database.reading() as session:
        return tuple(_view(*row) for row in session.execute(_restricted(query, wanted)))


def find_attempt(
    database: Database, *, course_id: UUID, assignment: str, login: str, submission: int | None = None
) -> AttemptView:
    """A student's newest attempt for an assignment, of the newest submission or of the one numbered so."""
    query = (
        _views()
        .where(
            models.Assignment.course_id == course_id,
            models.Assignment.slug == assignment,
            models.User.login == login,
        )
        .order_by(models.Submission.number.desc(), models.Attempt.number.desc())
        .limit(1)
    )
    if submission is not None:
        query = query.where(models.Submission.number == submission)
    with database.reading() as session:
        row = session.execute(query).first()
    if row is None:
        number = "" if submission is None else f" {submission}"
        raise NotFound("submission", f"{assignment}{number} by {login}")
    return _view(*row)


def result_of(database: Database, attempt_id: UUID) -> AttemptResult | None:
    """What grading found, whole; None while there is nothing yet."""
    with database.reading() as session:
        stored = session.scalar(select(models.Attempt.result).where(models.Attempt.id == attempt_id))
    return None if stored is None else load(stored)


def files_of(database: Database, submission_id: UUID) -> SubmittedFiles:
    """A submission as the engine reads it."""
    with database.reading() as session:
        manifest = session.scalar(
            select(models.AssignmentVersion.manifest)
            .join(models.Attempt, models.Attempt.version_id == models.AssignmentVersion.id)
            .where(models.Attempt.submission_id == submission_id)
            .order_by(models.Attempt.number.desc())
            .limit(1)
        )
        uploads = load_uploads(session, submission_id)
    if manifest is None:
        raise NotFound("submission", str(submission_id))
    wanted = wanted_by(manifest)
    return read(uploads, entry=wanted.entry, functions=wanted.functions)


def queue_position(database: Database, attempt_id: UUID) -> QueuePosition | None:
    """Where an attempt stands in its queue, counted from the front; None unless it waits."""
    with database.reading() as session:
        waiting = session.get(models.Attempt, attempt_id)
        return None if waiting is None else place_of(session, waiting)


def place_of(session: Session, waiting: models.Attempt) -> QueuePosition | None:
    """The same, for a row in hand."""
    if waiting.state is not AttemptState.QUEUED:
        return None
    ahead = _count(session, _ahead_of(waiting))
    running = _count(
        session,
        and_(models.Attempt.queue == waiting.queue, models.Attempt.state == AttemptState.RUNNING),
    )
    usual_s = _usual_seconds(session, waiting.version_id)
    # Without a running attempt nobody knows how many workers there are, or whether there are any.
    wait_s = usual_s * (ahead + 1) / running if usual_s is not None and running else None
    return QueuePosition(ahead=ahead, running=running, wait_s=wait_s)


def _views() -> Select[models.Attempt, models.Submission, models.Assignment, models.User]:
    # Results can be large; lists do without them.
    return (
        select(models.Attempt, models.Submission, models.Assignment, models.User)
        .join(models.Submission, models.Submission.id == models.Attempt.submission_id)
        .join(models.Assignment, models.Assignment.id == models.Submission.assignment_id)
        .join(models.User, models.User.id == models.Submission.user_id)
        .options(defer(models.Attempt.result))
    )


def _restricted(
    query: Select[models.Attempt, models.Submission, models.Assignment, models.User], wanted: AttemptFilter
) -> Select[models.Attempt, models.Submission, models.Assignment, models.User]:
    if wanted.ids:
        query = query.where(models.Attempt.id.in_(wanted.ids))
    if wanted.assignment_id is not None:
        query = query.where(models.Submission.assignment_id == wanted.assignment_id)
    if wanted.user_id is not None:
        query = query.where(models.Submission.user_id == wanted.user_id)
    if wanted.submission_id is not None:
        query = query.where(models.Submission.id == wanted.submission_id)
    if wanted.states:
        query = query.where(models.Attempt.state.in_(wanted.states))
    return query


def _view(
    row: models.Attempt, submission: models.Submission, assignment: models.Assignment, student: models.User
) -> AttemptView:
    return AttemptView(
        id=row.id,
        submission_id=submission.id,
        version_id=row.version_id,
        assignment=assignment.slug,
        student=student.login,
        student_name=student.name,
        submission_number=submission.number,
        number=row.number,
        received_at=submission.received_at,
        content_hash=submission.content_hash,
        state=row.state,
        queue=row.queue,
        lane=row.lane,
        tries=row.tries,
        progress=progress_in(row),
        worker=row.lease_owner,
        started_at=row.started_at,
        finished_at=row.finished_at,
        score=row.score,
        max_score=row.max_score,
        failure_reason=row.failure_reason,
    )


def progress_in(row: models.Attempt) -> Progress:
    """How far an attempt is, as its row says."""
    if row.state is AttemptState.QUEUED:
        return Progress(stage=Stage.QUEUED)
    if row.state.final:
        return Progress(stage=Stage.DONE)
    if row.progress is None:
        return Progress(stage=Stage.LOADING)
    return progress_of(row.progress)


def _ahead_of(waiting: models.Attempt) -> ColumnElement[bool]:
    sooner = models.Attempt.queued_at < waiting.queued_at
    same_lane = and_(models.Attempt.lane == waiting.lane, sooner)
    first_lane = models.Attempt.lane == Lane.INTERACTIVE
    return and_(
        models.Attempt.queue == waiting.queue,
        models.Attempt.state == AttemptState.QUEUED,
        same_lane if waiting.lane is Lane.INTERACTIVE else or_(first_lane, same_lane),
    )


def _count(session: Session, condition: ColumnElement[bool]) -> int:
    return session.scalars(select(func.count()).select_from(models.Attempt).where(condition)).one()


def _usual_seconds(session: Session, version_id: UUID) -> float | None:
    """Median time of the version's last runs."""
    rows = session.execute(
        select(models.Attempt.started_at, models.Attempt.finished_at)
        .where(models.Attempt.version_id == version_id, models.Attempt.state == AttemptState.GRADED)
        .order_by(models.Attempt.finished_at.desc())
        .limit(_RECENT)
    )
    seconds = [(end - start).total_seconds() for start, end in rows if start is not None and end is not None]
    return median(seconds) if seconds else None
