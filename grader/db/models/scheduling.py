"""Dates and rules of assignments, and who has been granted more time."""

from __future__ import annotations

from datetime import datetime
from fractions import Fraction
from uuid import UUID, uuid4

from sqlalchemy import CheckConstraint, ForeignKey, UniqueConstraint
from sqlalchemy.orm import Mapped, mapped_column

from grader.db.base import Base
from grader.db.types import closed_set
from grader.domain.scheduling import Counting, LateRule


class CoursePolicy(Base):
    """What holds in a whole course; `version` guards against two people editing at once.

    `names_hidden`: teaching assistants read without knowing whose work it is.
    """

    __tablename__ = "course_policy"

    course_id: Mapped[UUID] = mapped_column(ForeignKey("course.id"), primary_key=True)
    grace_days: Mapped[int] = mapped_column(default=0)
    archived_at: Mapped[datetime | None]
    names_hidden: Mapped[bool] = mapped_column(default=False)
    version: Mapped[int] = mapped_column(default=1)


class AssignmentSchedule(Base):
    """An assignment's dates and rules, as `grader.domain.scheduling.Schedule` has them.

    An assignment without a row is open, without a deadline. `version` guards against two people editing it.
    """

    __tablename__ = "assignment_schedule"
    __table_args__ = (
        CheckConstraint("closes_at IS NULL OR due_at IS NULL OR closes_at >= due_at", name="close"),
    )

    assignment_id: Mapped[UUID] = mapped_column(ForeignKey("assignment.id"), primary_key=True)
    draft: Mapped[bool] = mapped_column(default=False)
    opens_at: Mapped[datetime | None]
    due_at: Mapped[datetime | None]
    closes_at: Mapped[datetime | None]
    late_rule: Mapped[LateRule] = mapped_column(
        closed_set(LateRule, name="late_rule"), default=LateRule.NOTHING
    )
    per_day: Mapped[Fraction] = mapped_column(default=Fraction(0))
    uses_grace: Mapped[bool] = mapped_column(default=False)
    submission_limit: Mapped[int | None]
    cooldown_s: Mapped[int] = mapped_column(default=0)
    counting: Mapped[Counting] = mapped_column(closed_set(Counting, name="counting"), default=Counting.BEST)
    released_at: Mapped[datetime | None]
    version: Mapped[int] = mapped_column(default=1)


class Extension(Base):
    """More time for one student and assignment; the newest one not revoked holds."""

    __tablename__ = "extension"

    id: Mapped[UUID] = mapped_column(primary_key=True, default=uuid4)
    assignment_id: Mapped[UUID] = mapped_column(ForeignKey("assignment.id"), index=True)
    user_id: Mapped[UUID] = mapped_column(ForeignKey("app_user.id"), index=True)
    due_at: Mapped[datetime]
    closes_at: Mapped[datetime | None]
    reason: Mapped[str]
    granted_by: Mapped[UUID | None] = mapped_column(ForeignKey("app_user.id"))
    granted_at: Mapped[datetime]
    revoked_at: Mapped[datetime | None]


class SubmissionChoice(Base):
    """The submission that a student has marked as the one that counts."""

    __tablename__ = "submission_choice"
    __table_args__ = (UniqueConstraint("submission_id"),)

    assignment_id: Mapped[UUID] = mapped_column(ForeignKey("assignment.id"), primary_key=True)
    user_id: Mapped[UUID] = mapped_column(ForeignKey("app_user.id"), primary_key=True)
    submission_id: Mapped[UUID] = mapped_column(ForeignKey("submission.id"))
    chosen_at: Mapped[datetime]
