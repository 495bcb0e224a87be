"""What has to be told to the broker, and what was done by whom."""

from __future__ import annotations

from datetime import datetime
from typing import Any
from uuid import UUID, uuid4

from sqlalchemy import BigInteger, ForeignKey, Index, Integer
from sqlalchemy.orm import Mapped, mapped_column

from grader.db.base import Base
from grader.db.types import JsonText, closed_set
from grader.domain.attempts import Lane, Queue

# SQLite numbers rows by itself only in a column of the very type INTEGER.
_ROW_NUMBER = BigInteger().with_variant(Integer(), "sqlite")


class OutboxMessage(Base):
    """A message written in the transaction that makes it necessary, and sent after that has committed.

    A dispatcher *claims* it for a while, sends it, then sets `sent_at`. If it dies in between, the claim
    lapses and another sends it again: at least once, which is enough, for an attempt is leased to one run at
    a time.
    """

    __tablename__ = "outbox"
    __table_args__ = (Index(None, "sent_at", "available_at", "id"),)

    id: Mapped[int] = mapped_column(_ROW_NUMBER, primary_key=True, autoincrement=True)
    attempt_id: Mapped[UUID] = mapped_column(ForeignKey("attempt.id"), index=True)
    queue: Mapped[Queue] = mapped_column(closed_set(Queue, name="queue"))
    lane: Mapped[Lane] = mapped_column(closed_set(Lane, name="lane"))
    time_limit_s: Mapped[float]
    """Wall seconds after which the worker's process is killed: a last resort above the engine's limits."""
    created_at: Mapped[datetime]
    available_at: Mapped[datetime]
    """Not to be sent before this: a retry waits a little."""
    claim_token: Mapped[UUID | None]
    claimed_until: Mapped[datetime | None]
    sent_at: Mapped[datetime | None]


class AuditEvent(Base):
    """Something that was done, by whom and to what. The database refuses to change or delete one."""

    __tablename__ = "audit_event"
    __table_args__ = (Index(None, "subject_kind", "subject_id", "at"),)

    id: Mapped[UUID] = mapped_column(primary_key=True, default=uuid4)
    at: Mapped[datetime]
    actor_id: Mapped[UUID | None] = mapped_column(ForeignKey("app_user.id"))
    """None: the system itself."""
    action: Mapped[str]
    subject_kind: Mapped[str]
    subject_id: Mapped[UUID]
    data: Mapped[dict[str, Any]] = mapped_column(JsonText())
