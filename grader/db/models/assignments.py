"""Assignments and their published, immutable versions."""

from __future__ import annotations

from datetime import datetime
from typing import Any
from uuid import UUID, uuid4

from sqlalchemy import ForeignKey, UniqueConstraint
from sqlalchemy.orm import Mapped, mapped_column

from grader.db.base import Base, hash_column
from grader.db.types import JsonText, closed_set
from grader.domain.attempts import Queue


class Assignment(Base):
    """A unit of work in a course; new submissions are graded against its version of the highest number."""

    __tablename__ = "assignment"
    __table_args__ = (UniqueConstraint("course_id", "slug"),)

    id: Mapped[UUID] = mapped_column(primary_key=True, default=uuid4)
    course_id: Mapped[UUID] = mapped_column(ForeignKey("course.id"))
    slug: Mapped[str]
    title: Mapped[str]
    created_at: Mapped[datetime]


class AssignmentVersion(Base):
    """An assignment folder as published.

    `content_hash` is the folder's, `rubric` what its suite declared. Two versions may hold the same content:
    going back to an earlier state of the folder is a publication of its own.
    """

    __tablename__ = "assignment_version"
    __table_args__ = (UniqueConstraint("assignment_id", "number"),)

    id: Mapped[UUID] = mapped_column(primary_key=True, default=uuid4)
    assignment_id: Mapped[UUID] = mapped_column(ForeignKey("assignment.id"))
    number: Mapped[int]
    content_hash: Mapped[str] = mapped_column(hash_column())
    queue: Mapped[Queue] = mapped_column(closed_set(Queue, name="queue"))
    time_limit_s: Mapped[float]
    manifest: Mapped[dict[str, Any]] = mapped_column(JsonText())
    rubric: Mapped[dict[str, Any]] = mapped_column(JsonText())
    published_at: Mapped[datetime]
    published_by: Mapped[UUID | None] = mapped_column(ForeignKey("app_user.id"))


class AssignmentVersionFile(Base):
    """One file of a version's folder; `path` is relative, POSIX style."""

    __tablename__ = "assignment_version_file"

    version_id: Mapped[UUID] = mapped_column(ForeignKey("assignment_version.id"), primary_key=True)
    path: Mapped[str] = mapped_column(primary_key=True)
    sha256: Mapped[str] = mapped_column(hash_column(), ForeignKey("stored_file.sha256"))


class AssignmentVersionBundle(Base):
    """What students download of a version, a zip; none where no check of it can be handed out.

    It is made of the version, anew if need be, and so it is no part of it.
    """

    __tablename__ = "assignment_version_bundle"

    version_id: Mapped[UUID] = mapped_column(ForeignKey("assignment_version.id"), primary_key=True)
    sha256: Mapped[str] = mapped_column(hash_column(), ForeignKey("stored_file.sha256"))
