"""How the queues and workers are, and what needs a hand: attempts that ended without a grade."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from uuid import UUID

from sqlalchemy import ColumnElement, and_, case, delete, func, or_, select, update
from sqlalchemy.orm import Session, aliased

from grader.db import models
from grader.db.database import Database
from grader.db.statements import changed_rows
from grader.domain.attempts import STATES_FOR_STAFF, AttemptState, Lane, Queue
from grader.domain.errors import Conflict, NotFound
from grader.domain.publication import PublicationState
from grader.domain.reviewing import PlanState
from grader.services.access import Actor, Seat, seat_in
from grader.services.auditing import Action, Subject, record
from grader.services.policy import QueuePolicy
from grader.services.queueing import announce

SEEN_LATELY = timedelta(days=1)
MOST_LISTED = 200
DEFAULT_POLICY = QueuePolicy()


@dataclass(frozen=True, slots=True, kw_only=True)
class LaneHealth:
    """One lane of one queue. `oldest` has been waiting since; None where nothing waits."""

    queue: Queue
    lane: Lane
    queued: int
    running: int
    oldest: datetime | None


@dataclass(frozen=True, slots=True, kw_only=True)
class WorkerHealth:
    """A worker that has graded lately; `seen_at` is its last sign of life."""

    name: str
    queue: Queue
    running: int
    seen_at: datetime


@dataclass(frozen=True, slots=True, kw_only=True)
class GateHealth:
    """The gates of one queue, which workers run beside attempts.

    `oldest` has been waiting since; `seen_at` is the last sign of life of one that runs.
    """

    queue: Queue
    queued: int
    running: int
    oldest: datetime | None
    seen_at: datetime | None


@dataclass(frozen=True, slots=True, kw_only=True)
class StrandedAttempt:
    """An attempt that ended without a grade, through no fault of its author's.

    Where names are hidden there is no `login`, and no `reason`, which may name the author's files.
    """

    attempt_id: UUID
    submission_id: UUID
    assignment: str
    login: str | None
    submission_number: int
    number: int
    state: AttemptState
    reason: str
    finished_at: datetime | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Health:
    """Queues and workers of the whole node, and what needs a hand in one course."""

    seat: Seat
    now: datetime
    lanes: tuple[LaneHealth, ...]
    gates: tuple[GateHealth, ...]
    workers: tuple[WorkerHealth, ...]
    stranded: tuple[StrandedAttempt, ...]


def health(database: Database, *, actor: Actor, course: str, policy: QueuePolicy = DEFAULT_POLICY) -> Health:
    """How things are, for the staff of a course. `policy` is that of the workers."""
    with database.reading() as session:
        seat = seat_in(session, course=course, user_id=actor.user_id).require_staff()
        now = database.now(session)
        return Health(
            seat=seat,
            now=now,
            lanes=_lanes(session),
            gates=_gates(session, lease=timedelta(seconds=policy.lease_s)),
            workers=_workers(session, since=now - SEEN_LATELY),
            stranded=_stranded(session, seat),
        )


def requeue_stranded(
    database: Database, *, actor: Actor, course: str, attempt_ids: Sequence[UUID] = ()
) -> int:
    """Queue stranded attempts of a course again, all of them or those named; returns how many.

    They start afresh, with all their tries. NotFound for one that is not in the course; Conflict for one that
    no longer needs it.
    """
    with database.writing() as session:
        now = database.now(session)
        seat = seat_in(session, course=course, user_id=actor.user_id).require_staff()
        stranded = {item.attempt_id for item in _stranded(session, seat)}
        wanted = sorted(attempt_ids or stranded)
        for attempt_id in wanted:
            if attempt_id not in stranded:
                raise _not_stranded(session, seat, attempt_id)
            _requeue(session, attempt_id, actor=actor, now=now)
        return len(wanted)


def _requeue(session: Session, attempt_id: UUID, *, actor: Actor, now: datetime) -> None:
    changed = session.execute(
        update(models.Attempt)
        .where(models.Attempt.id == attempt_id, models.Attempt.state.in_(STATES_FOR_STAFF))
        .values(
            state=AttemptState.QUEUED,
            tries=0,
            queued_at=now,
            started_at=None,
            finished_at=None,
            result=None,
            max_score=None,
        ),
        execution_options={"synchronize_session": False},
    )
    if changed_rows(changed) != 1:
        raise Conflict("somebody else has queued this attempt again meanwhile.")
    # What an incomplete result had judged would be in the way of the next one.
    session.execute(delete(models.CheckResult).where(models.CheckResult.attempt_id == attempt_id))
    announce(session, attempt_id, now=now)
    record(
        session,
        Action.ATTEMPT_REQUEUED,
        subject=Subject.ATTEMPT,
        subject_id=attempt_id,
        at=now,
        actor_id=actor.user_id,
    )


def _not_stranded(session: Session, seat: Seat, attempt_id: UUID) -> NotFound | Conflict:
    known = session.scalar(
        select(models.Attempt.state)
        .join(models.Submission, models.Submission.id == models.Attempt.submission_id)
        .join(models.Assignment, models.Assignment.id == models.Submission.assignment_id)
        .where(models.Attempt.id == attempt_id, models.Assignment.course_id == seat.course_id)
    )
    if known is None:
        return NotFound("attempt", str(attempt_id))
    return Conflict(f"this attempt is {known.value}: it needs no second start.")


def _lanes(session: Session) -> tuple[LaneHealth, ...]:
    waiting = models.Attempt.state == AttemptState.QUEUED
    rows = session.execute(
        select(
            models.Attempt.queue,
            models.Attempt.lane,
            func.sum(case((waiting, 1), else_=0)).label("queued"),
            func.sum(case((waiting, 0), else_=1)).label("running"),
            func.min(case((waiting, models.Attempt.queued_at))).label("oldest"),
        )
        .where(models.Attempt.state.in_((AttemptState.QUEUED, AttemptState.RUNNING)))
        .group_by(models.Attempt.queue, models.Attempt.lane)
    )
    found = {(row.queue, row.lane): row for row in rows}
    lanes = []
    for queue in Queue:
        for lane in Lane:
            row = found.get((queue, lane))
            lanes.append(
                LaneHealth(
                    queue=queue,
                    lane=lane,
                    queued=int(row.queued) if row else 0,
                    running=int(row.running) if row else 0,
                    oldest=row.oldest if row else None,
                )
            )
    return tuple(lanes)


def _gates(session: Session, *, lease: timedelta) -> tuple[GateHealth, ...]:
    """A gate's sign of life is the renewal of its lease, which ends so long after it."""
    waiting = models.Publication.state == PublicationState.QUEUED
    rows = session.execute(
        select(
            models.Publication.queue,
            func.sum(case((waiting, 1), else_=0)).label("queued"),
            func.sum(case((waiting, 0), else_=1)).label("running"),
            func.min(case((waiting, models.Publication.requested_at))).label("oldest"),
            func.max(models.Publication.lease_expires_at).label("until"),
        )
        .where(models.Publication.state.in_((PublicationState.QUEUED, PublicationState.RUNNING)))
        .group_by(models.Publication.queue)
    )
    found = {row.queue: row for row in rows}
    gates = []
    for queue in Queue:
        row = found.get(queue)
        gates.append(
            GateHealth(
                queue=queue,
                queued=int(row.queued) if row else 0,
                running=int(row.running) if row else 0,
                oldest=row.oldest if row else None,
                seen_at=row.until - lease if row and row.until else None,
            )
        )
    return tuple(gates)


def _workers(session: Session, *, since: datetime) -> tuple[WorkerHealth, ...]:
    running = func.sum(case((models.Attempt.state == AttemptState.RUNNING, 1), else_=0))
    seen = func.max(models.Attempt.heartbeat_at)
    rows = session.execute(
        select(models.Attempt.lease_owner, models.Attempt.queue, running, seen)
        .where(models.Attempt.lease_owner.is_not(None), models.Attempt.heartbeat_at >= since)
        .group_by(models.Attempt.lease_owner, models.Attempt.queue)
        .order_by(seen.desc())
    )
    return tuple(
        WorkerHealth(name=name or "", queue=queue, running=int(count), seen_at=at)
        for name, queue, count, at in rows
    )


def _stranded(session: Session, seat: Seat) -> tuple[StrandedAttempt, ...]:
    """Those that no later attempt of the same submission has made up for, and that no plan has dropped."""
    later = aliased(models.Attempt)
    made_up_for = (
        select(later.id)
        .where(
            later.submission_id == models.Attempt.submission_id,
            later.number > models.Attempt.number,
            later.state.not_in(STATES_FOR_STAFF),
        )
        .exists()
    )
    dropped: ColumnElement[bool] = and_(
        models.RegradePlan.id.is_not(None), models.RegradePlan.state == PlanState.DISCARDED
    )
    rows = session.execute(
        select(
            models.Attempt.id.label("attempt_id"),
            models.Attempt.submission_id,
            models.Assignment.slug.label("assignment"),
            models.User.login,
            models.Submission.number.label("submission_number"),
            models.Attempt.number,
            models.Attempt.state,
            func.coalesce(models.Attempt.failure_reason, "").label("reason"),
            models.Attempt.finished_at,
        )
        .join(models.Submission, models.Submission.id == models.Attempt.submission_id)
        .join(models.User, models.User.id == models.Submission.user_id)
        .join(models.Assignment, models.Assignment.id == models.Submission.assignment_id)
        .outerjoin(models.RegradeItem, models.RegradeItem.attempt_id == models.Attempt.id)
        .outerjoin(models.RegradePlan, models.RegradePlan.id == models.RegradeItem.plan_id)
        .where(
            models.Assignment.course_id == seat.course_id,
            models.Attempt.state.in_(STATES_FOR_STAFF),
            or_(models.RegradePlan.id.is_(None), ~dropped),
            ~made_up_for,
        )
        .order_by(models.Attempt.finished_at.desc())
        .limit(MOST_LISTED)
    )
    hidden = {"login": None, "reason": ""} if seat.names_hidden else {}
    return tuple(StrandedAttempt(**{**row, **hidden}) for row in rows.mappings())
