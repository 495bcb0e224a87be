"""Changing points by hand: with a reason, on top of what grading found, never in place of it.

An adjustment is a row that nobody can change or delete. One check can be set to some points, between none and
what it is worth: that holds whatever a later grading finds, so a regrade counts nothing twice. Or points are
added to the submission as a whole, at most as many as it is worth; what counts never falls below zero. Taking
an adjustment back is a row as well.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from fractions import Fraction
from uuid import UUID

from sqlalchemy import select
from sqlalchemy.orm import Session, aliased

from grader.db import models
from grader.db.database import Database
from grader.domain.errors import Conflict, InvalidInput
from grader.domain.reviewing import AdjustmentKind
from grader.domain.text import did_you_mean, one_line
from grader.services.access import Actor, submission_under_review
from grader.services.auditing import Action, Subject, record
from grader.services.counting import CountingAttempt, Scope, counting_attempts
from grader.services.reviewing.inputs import text_of
from grader.services.reviewing.seats import staff_behind
from grader.services.reviewing.versions import advance, lock

REASON_LIMIT = 2_000


@dataclass(frozen=True, slots=True, kw_only=True)
class Change:
    """Points to be changed: of one check to exactly so many, or, without a check, of the whole by so many."""

    points: Fraction
    check_id: str | None = None

    @property
    def kind(self) -> AdjustmentKind:
        return AdjustmentKind.ADD if self.check_id is None else AdjustmentKind.SET_CHECK


@dataclass(frozen=True, slots=True, kw_only=True)
class AdjustmentView:
    """One entry of a submission's history of points, with whether it (still) holds and why."""

    id: UUID
    kind: AdjustmentKind
    check_id: str | None
    points: Fraction
    reason: str
    author: str | None
    author_id: UUID | None
    created_at: datetime
    revokes_id: UUID | None
    revoked: bool
    replaced: bool

    @property
    def holds(self) -> bool:
        """Whether it is part of the points now."""
        return self.revokes_id is None and not self.revoked and not self.replaced


def adjust(
    database: Database, *, actor: Actor, submission_id: UUID, change: Change, reason: str, seen: int
) -> AdjustmentView:
    """Change points of a graded submission; `seen` is the version of its review that was looked at."""
    with database.writing() as session:
        found = submission_under_review(session, submission_id=submission_id, user_id=actor.user_id)
        found.seat.require_staff()
        lock(session, submission_id)
        advance(session, submission_id, seen=seen)
        row = add_adjustment(
            session,
            actor=actor,
            submission_id=submission_id,
            change=change,
            reason=reason,
            now=database.now(session),
        )
        return _one(session, submission_id, row)


def revoke(
    database: Database, *, actor: Actor, adjustment_id: UUID, reason: str, seen: int
) -> AdjustmentView:
    """Take an adjustment back; returns the entry that does so."""
    with database.writing() as session:
        found = _found(session, adjustment_id, actor)
        lock(session, found.submission_id)
        advance(session, found.submission_id, seen=seen)
        _require_revocable(session, found)
        now = database.now(session)
        row = models.Adjustment(
            submission_id=found.submission_id,
            kind=AdjustmentKind.ADD,
            check_id=None,
            points=Fraction(0),
            reason=text_of(reason, field="reason", limit=REASON_LIMIT),
            author_id=actor.user_id,
            created_at=now,
            revokes_id=found.id,
        )
        session.add(row)
        session.flush()
        record(
            session,
            Action.ADJUSTMENT_REVOKED,
            subject=Subject.ADJUSTMENT,
            subject_id=found.id,
            at=now,
            actor_id=actor.user_id,
            data={"submission": str(found.submission_id), "reason": row.reason},
        )
        return _one(session, found.submission_id, row.id)


def add_adjustment(
    session: Session, *, actor: Actor, submission_id: UUID, change: Change, reason: str, now: datetime
) -> UUID:
    """Check and add an adjustment in the caller's transaction, which has made sure that the actor may."""
    attempt = counting_attempts(session, Scope(submission_ids=[submission_id])).get(submission_id)
    if attempt is None:
        raise Conflict(
            "This submission has not been graded, so there are no points to change. Grade it again first."
        )
    _require_sensible(session, change, attempt)
    row = models.Adjustment(
        submission_id=submission_id,
        kind=change.kind,
        check_id=change.check_id,
        points=change.points,
        reason=text_of(reason, field="reason", limit=REASON_LIMIT),
        author_id=actor.user_id,
        created_at=now,
    )
    session.add(row)
    session.flush()
    record(
        session,
        Action.POINTS_ADJUSTED,
        subject=Subject.ADJUSTMENT,
        subject_id=row.id,
        at=now,
        actor_id=actor.user_id,
        data={
            "submission": str(submission_id),
            "attempt": str(attempt.attempt_id),
            "check": change.check_id,
            "points": str(change.points),
            "reason": row.reason,
        },
    )
    return row.id


def history(session: Session, submission_id: UUID) -> tuple[AdjustmentView, ...]:
    """All adjustments of a submission, oldest first; one query."""
    revoking = aliased(models.Adjustment)
    rows = session.execute(
        select(models.Adjustment, models.User.name, revoking.revokes_id)
        .outerjoin(models.User, models.User.id == models.Adjustment.author_id)
        .outerjoin(revoking, revoking.revokes_id == models.Adjustment.id)
        .where(models.Adjustment.submission_id == submission_id)
        .order_by(models.Adjustment.created_at, models.Adjustment.id)
    ).all()
    last = {
        row.check_id: row.id for row, _, revoked_by in rows if row.check_id is not None and revoked_by is None
    }
    return tuple(
        AdjustmentView(
            id=row.id,
            kind=row.kind,
            check_id=row.check_id,
            points=row.points,
            reason=row.reason,
            author=author,
            author_id=row.author_id,
            created_at=row.created_at,
            revokes_id=row.revokes_id,
            revoked=revoked_by is not None,
            replaced=row.check_id is not None and revoked_by is None and last[row.check_id] != row.id,
        )
        for row, author, revoked_by in rows
    )


def _found(session: Session, adjustment_id: UUID, actor: Actor) -> models.Adjustment:
    row = session.get(models.Adjustment, adjustment_id)
    submission_id = None if row is None else row.submission_id
    staff_behind(session, "adjustment", adjustment_id, submission_id=submission_id, actor=actor)
    return session.get_one(models.Adjustment, adjustment_id)


def _require_revocable(session: Session, found: models.Adjustment) -> None:
    if found.revokes_id is not None:
        raise Conflict("This entry itself takes an adjustment back. Adjust the points anew instead.")
    taken = session.scalar(select(models.Adjustment.id).where(models.Adjustment.revokes_id == found.id))
    if taken is not None:
        raise Conflict("This adjustment has been taken back already.")


def _require_sensible(session: Session, change: Change, attempt: CountingAttempt) -> None:
    if change.check_id is None:
        if change.points == 0:
            raise InvalidInput("points", "adding nothing changes nothing.", "Give a number other than 0.")
        if abs(change.points) > attempt.max_score:
            raise InvalidInput(
                "points",
                f"the whole submission is worth {float(attempt.max_score):g} points.",
                "Add or take away at most as many.",
            )
        return
    rows = session.execute(
        select(models.CheckResult.check_id, models.CheckResult.points).where(
            models.CheckResult.attempt_id == attempt.attempt_id
        )
    )
    worth = {row.check_id: row.points for row in rows}
    if change.check_id not in worth:
        raise InvalidInput(
            "check",
            f"no check {one_line(change.check_id, 80)!r} in the attempt that counts.",
            did_you_mean(change.check_id, worth) or "Take its id from the report.",
        )
    if not 0 <= change.points <= worth[change.check_id]:
        raise InvalidInput(
            "points",
            f"this check is worth {float(worth[change.check_id]):g} points.",
            "Set it between 0 and that; extra points are added to the submission as a whole.",
        )


def _one(session: Session, submission_id: UUID, adjustment_id: UUID) -> AdjustmentView:
    return next(item for item in history(session, submission_id) if item.id == adjustment_id)
