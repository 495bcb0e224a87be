"""Assignment folders on their way to becoming versions: uploaded, waiting for the gate, or kept out by it."""

from __future__ import annotations

from datetime import datetime
from typing import Any
from uuid import UUID, uuid4

from sqlalchemy import CheckConstraint, ForeignKey, Index
from sqlalchemy.orm import Mapped, mapped_column

from grader.db.base import Base, hash_column
from grader.db.types import JsonText, closed_set
from grader.domain.attempts import Queue
from grader.domain.publication import PublicationState


class Publication(Base):
    """An uploaded folder (a zip) and what the gate found.

    Like an attempt it is held by a lease while a worker runs its gate. It needs no row in the outbox: what is
    queued and was not announced lately is announced, again if it must be.
    """

    __tablename__ = "publication"
    __table_args__ = (
        CheckConstraint(
            "(state = 'running') = (lease_token IS NOT NULL AND lease_expires_at IS NOT NULL)",
            name="lease_while_running",
        ),
        Index(None, "state", "dispatched_at"),
        Index(None, "course_id", "requested_at"),
    )

    id: Mapped[UUID] = mapped_column(primary_key=True, default=uuid4)
    course_id: Mapped[UUID] = mapped_column(ForeignKey("course.id"))
    slug: Mapped[str]
    title: Mapped[str]
    upload_name: Mapped[str]
    upload_sha256: Mapped[str] = mapped_column(hash_column(), ForeignKey("stored_file.sha256"))
    as_draft: Mapped[bool]
    """Whether a new assignment stays hidden from students; an assignment that is there keeps what it has."""
    queue: Mapped[Queue] = mapped_column(closed_set(Queue, name="queue"))
    time_limit_s: Mapped[float]
    state: Mapped[PublicationState] = mapped_column(closed_set(PublicationState, name="state"))
    requested_by: Mapped[UUID | None] = mapped_column(ForeignKey("app_user.id"))
    requested_at: Mapped[datetime]
    dispatches: Mapped[int] = mapped_column(default=0)
    dispatched_at: Mapped[datetime | None]
    tries: Mapped[int] = mapped_column(default=0)
    lease_token: Mapped[UUID | None]
    lease_expires_at: Mapped[datetime | None]
    step: Mapped[dict[str, Any] | None] = mapped_column(JsonText())
    """What is being graded just now, for those who watch."""
    gate: Mapped[dict[str, Any] | None] = mapped_column(JsonText())
    problem: Mapped[str | None]
    version_id: Mapped[UUID | None] = mapped_column(ForeignKey("assignment_version.id"))
    finished_at: Mapped[datetime | None]
