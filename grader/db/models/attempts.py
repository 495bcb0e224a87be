"""Attempts: the rows that say what is to be graded, by whom it is being graded, and what came of it."""

from __future__ import annotations

from datetime import datetime
from fractions import Fraction
from typing import Any
from uuid import UUID, uuid4

from sqlalchemy import CheckConstraint, ForeignKey, Index, UniqueConstraint
from sqlalchemy.orm import Mapped, mapped_column

from grader.db.base import Base
from grader.db.types import JsonText, closed_set
from grader.domain.attempts import AttemptState, Lane, Queue
from grader.domain.verdicts import Blame, Verdict


class Attempt(Base):
    """One grading run of one submission against one assignment version.

    The row, not the broker's message, is the truth. A worker holds it by a *lease*: `lease_token` names the
    run that may write, until `lease_expires_at` unless its heartbeat moves that on. Whoever writes does so
    only where the token is still its own (compare-and-set): a result is accepted once, from one run.
    """

    __tablename__ = "attempt"
    __table_args__ = (
        UniqueConstraint("submission_id", "number"),
        # A lease exists exactly while the attempt runs; a score exactly when it was graded.
        CheckConstraint(
            "(state = 'running') = (lease_token IS NOT NULL AND lease_expires_at IS NOT NULL)",
            name="lease_while_running",
        ),
        CheckConstraint("(state = 'graded') = (score IS NOT NULL)", name="score_when_graded"),
        Index(None, "queue", "state", "lane", "queued_at"),
        Index(None, "state", "lease_expires_at"),
        Index(None, "version_id", "state"),
    )

    id: Mapped[UUID] = mapped_column(primary_key=True, default=uuid4)
    submission_id: Mapped[UUID] = mapped_column(ForeignKey("submission.id"))
    version_id: Mapped[UUID] = mapped_column(ForeignKey("assignment_version.id"))
    number: Mapped[int]
    state: Mapped[AttemptState] = mapped_column(closed_set(AttemptState, name="state"))
    queue: Mapped[Queue] = mapped_column(closed_set(Queue, name="queue"))
    lane: Mapped[Lane] = mapped_column(closed_set(Lane, name="lane"))
    seed: Mapped[str]

    created_at: Mapped[datetime]
    queued_at: Mapped[datetime]
    """When it entered the queue; unchanged by retries: the victim of a fault does not lose its place."""
    started_at: Mapped[datetime | None]
    finished_at: Mapped[datetime | None]

    tries: Mapped[int] = mapped_column(default=0)
    """Runs begun so far."""
    lease_owner: Mapped[str | None]
    lease_token: Mapped[UUID | None]
    lease_expires_at: Mapped[datetime | None]
    heartbeat_at: Mapped[datetime | None]
    progress: Mapped[dict[str, Any] | None] = mapped_column(JsonText())

    dispatches: Mapped[int] = mapped_column(default=0)
    """Messages handed to the broker so far."""
    dispatched_at: Mapped[datetime | None]
    """When the last one was handed over; None while the next still waits in the outbox."""

    result: Mapped[dict[str, Any] | None] = mapped_column(JsonText())
    score: Mapped[Fraction | None]
    max_score: Mapped[Fraction | None]
    failure_reason: Mapped[str | None]
    """Why the last run gave no grade; for staff."""
    flag_count: Mapped[int] = mapped_column(default=0)
    """What in the result asks for a look by staff; the flags themselves are in it."""


class CheckResult(Base):
    """One check of one attempt, for queries over many attempts; the whole finding is in `Attempt.result`."""

    __tablename__ = "check_result"
    __table_args__ = (Index(None, "check_id", "verdict"),)

    attempt_id: Mapped[UUID] = mapped_column(ForeignKey("attempt.id"), primary_key=True)
    check_id: Mapped[str] = mapped_column(primary_key=True)
    position: Mapped[int]
    verdict: Mapped[Verdict] = mapped_column(closed_set(Verdict, name="verdict"))
    blame: Mapped[Blame | None] = mapped_column(closed_set(Blame, name="blame"))
    points: Mapped[Fraction]
    earned: Mapped[Fraction | None]
    """None means not graded."""
    code: Mapped[str | None]
    line: Mapped[int | None]
    file: Mapped[str | None]
    shape: Mapped[str | None]
    """The line without its author's own words: failures of one shape are looked at together."""
