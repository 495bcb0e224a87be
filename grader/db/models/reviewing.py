"""What staff add to a graded submission, and what students ask them for.

Nothing here is overwritten without a trace: adjustments only grow in number, and every change of a comment is
in the audit record.
"""

from __future__ import annotations

from datetime import datetime
from fractions import Fraction
from uuid import UUID, uuid4

from sqlalchemy import CheckConstraint, ForeignKey, Index
from sqlalchemy.orm import Mapped, mapped_column

from grader.db.base import Base
from grader.db.types import closed_set
from grader.domain.reviewing import AdjustmentKind, RequestState


class Review(Base):
    """The state of a submission's review; one row for each that staff have touched.

    `version` grows with every change of comments or points: whoever writes says which one they saw.
    """

    __tablename__ = "review"

    submission_id: Mapped[UUID] = mapped_column(ForeignKey("submission.id"), primary_key=True)
    version: Mapped[int] = mapped_column(default=1)
    reviewed_at: Mapped[datetime | None]
    reviewed_by: Mapped[UUID | None] = mapped_column(ForeignKey("app_user.id"))


class Adjustment(Base):
    """A change of points by staff. A later row may revoke it (`revokes_id`); none is changed or deleted."""

    __tablename__ = "adjustment"
    __table_args__ = (
        CheckConstraint("(kind = 'set_check') = (check_id IS NOT NULL)", name="check_named"),
        Index(None, "submission_id", "created_at"),
    )

    id: Mapped[UUID] = mapped_column(primary_key=True, default=uuid4)
    submission_id: Mapped[UUID] = mapped_column(ForeignKey("submission.id"))
    kind: Mapped[AdjustmentKind] = mapped_column(closed_set(AdjustmentKind, name="kind"))
    check_id: Mapped[str | None]
    points: Mapped[Fraction]
    reason: Mapped[str]
    author_id: Mapped[UUID | None] = mapped_column(ForeignKey("app_user.id"))
    created_at: Mapped[datetime]
    revokes_id: Mapped[UUID | None] = mapped_column(ForeignKey("adjustment.id"), unique=True)


class Comment(Base):
    """What staff say about a line (`file`, `line`), about a check, or about the whole submission."""

    __tablename__ = "comment"
    __table_args__ = (
        CheckConstraint("line IS NULL OR (file IS NOT NULL AND line >= 1)", name="line"),
        Index(None, "submission_id", "created_at"),
    )

    id: Mapped[UUID] = mapped_column(primary_key=True, default=uuid4)
    submission_id: Mapped[UUID] = mapped_column(ForeignKey("submission.id"))
    author_id: Mapped[UUID] = mapped_column(ForeignKey("app_user.id"))
    file: Mapped[str | None]
    line: Mapped[int | None]
    check_id: Mapped[str | None]
    text: Mapped[str]
    staff_only: Mapped[bool] = mapped_column(default=False)
    created_at: Mapped[datetime]
    edited_at: Mapped[datetime | None]
    deleted_at: Mapped[datetime | None]
    version: Mapped[int] = mapped_column(default=1)


class BankComment(Base):
    """A comment kept for use again; offered first where `code` is the feedback code of a failed check."""

    __tablename__ = "bank_comment"

    id: Mapped[UUID] = mapped_column(primary_key=True, default=uuid4)
    course_id: Mapped[UUID] = mapped_column(ForeignKey("course.id"), index=True)
    title: Mapped[str]
    text: Mapped[str]
    code: Mapped[str | None]
    created_by: Mapped[UUID] = mapped_column(ForeignKey("app_user.id"))
    created_at: Mapped[datetime]
    deleted_at: Mapped[datetime | None]
    version: Mapped[int] = mapped_column(default=1)


class RegradeRequest(Base):
    """A student asks staff to look at a submission again, and is answered once."""

    __tablename__ = "regrade_request"
    __table_args__ = (Index(None, "submission_id", "created_at"), Index(None, "state", "created_at"))

    id: Mapped[UUID] = mapped_column(primary_key=True, default=uuid4)
    submission_id: Mapped[UUID] = mapped_column(ForeignKey("submission.id"))
    check_id: Mapped[str | None]
    text: Mapped[str]
    created_at: Mapped[datetime]
    state: Mapped[RequestState] = mapped_column(closed_set(RequestState, name="state"))
    answer: Mapped[str | None]
    answered_by: Mapped[UUID | None] = mapped_column(ForeignKey("app_user.id"))
    answered_at: Mapped[datetime | None]
    version: Mapped[int] = mapped_column(default=1)
