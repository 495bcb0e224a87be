"""Submissions: immutable uploads, numbered per student and assignment."""

from __future__ import annotations

from datetime import datetime
from uuid import UUID, uuid4

from sqlalchemy import CheckConstraint, ForeignKey, Index, UniqueConstraint
from sqlalchemy.orm import Mapped, mapped_column

from grader.db.base import Base, hash_column


class Submission(Base):
    """One upload. `received_at` is the server's clock at receipt: the time that counts for deadlines."""

    __tablename__ = "submission"
    __table_args__ = (
        UniqueConstraint("assignment_id", "user_id", "number"),
        UniqueConstraint("assignment_id", "user_id", "idempotency_key"),
        CheckConstraint("number >= 1", name="number"),
        Index(None, "assignment_id", "received_at"),
    )

    id: Mapped[UUID] = mapped_column(primary_key=True, default=uuid4)
    assignment_id: Mapped[UUID] = mapped_column(ForeignKey("assignment.id"))
    user_id: Mapped[UUID] = mapped_column(ForeignKey("app_user.id"), index=True)
    number: Mapped[int]
    received_at: Mapped[datetime]
    idempotency_key: Mapped[str]
    content_hash: Mapped[str] = mapped_column(hash_column())


class SubmissionFile(Base):
    """One uploaded file, its bytes exactly as they came; `position` keeps the order of the upload."""

    __tablename__ = "submission_file"

    submission_id: Mapped[UUID] = mapped_column(ForeignKey("submission.id"), primary_key=True)
    position: Mapped[int] = mapped_column(primary_key=True)
    name: Mapped[str]
    sha256: Mapped[str] = mapped_column(hash_column(), ForeignKey("stored_file.sha256"))
