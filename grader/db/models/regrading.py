"""Regrades as plans: attempts made beside the ones that count, and taken over all at once or not at all."""

from __future__ import annotations

from datetime import datetime
from uuid import UUID, uuid4

from sqlalchemy import ForeignKey, Index
from sqlalchemy.orm import Mapped, mapped_column

from grader.db.base import Base
from grader.db.types import closed_set
from grader.domain.reviewing import PlanState


class RegradePlan(Base):
    """Grade some submissions again, against `version_id`; look at what changes; apply it, or not.

    An attempt that a plan has made counts only while the plan is applied: undoing one changes a single word.
    """

    __tablename__ = "regrade_plan"
    __table_args__ = (Index(None, "assignment_id", "created_at"),)

    id: Mapped[UUID] = mapped_column(primary_key=True, default=uuid4)
    assignment_id: Mapped[UUID] = mapped_column(ForeignKey("assignment.id"))
    version_id: Mapped[UUID] = mapped_column(ForeignKey("assignment_version.id"))
    reason: Mapped[str]
    state: Mapped[PlanState] = mapped_column(closed_set(PlanState, name="state"))
    created_by: Mapped[UUID | None] = mapped_column(ForeignKey("app_user.id"))
    created_at: Mapped[datetime]
    applied_at: Mapped[datetime | None]
    undone_at: Mapped[datetime | None]
    version: Mapped[int] = mapped_column(default=1)


class RegradeItem(Base):
    """One submission of a plan and the attempt made for it."""

    __tablename__ = "regrade_item"

    plan_id: Mapped[UUID] = mapped_column(ForeignKey("regrade_plan.id"), primary_key=True)
    submission_id: Mapped[UUID] = mapped_column(ForeignKey("submission.id"), primary_key=True, index=True)
    attempt_id: Mapped[UUID] = mapped_column(ForeignKey("attempt.id"), unique=True)
