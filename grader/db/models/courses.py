"""Courses, people, and who has which role where."""

from __future__ import annotations

from datetime import datetime
from uuid import UUID, uuid4

from sqlalchemy import ForeignKey
from sqlalchemy.orm import Mapped, mapped_column

from grader.db.base import Base
from grader.db.types import closed_set
from grader.domain.people import Role


class Course(Base):
    """A course; `timezone` (an IANA name) is for display only, stored times are UTC."""

    __tablename__ = "course"

    id: Mapped[UUID] = mapped_column(primary_key=True, default=uuid4)
    slug: Mapped[str] = mapped_column(unique=True)
    title: Mapped[str]
    timezone: Mapped[str]
    created_at: Mapped[datetime]


class User(Base):
    """A person, known by `login`; the name `user` is reserved in SQL, hence the table's."""

    __tablename__ = "app_user"

    id: Mapped[UUID] = mapped_column(primary_key=True, default=uuid4)
    login: Mapped[str] = mapped_column(unique=True)
    name: Mapped[str]
    email: Mapped[str | None]
    created_at: Mapped[datetime]


class Membership(Base):
    """A person's role in a course; one role per course.

    `version` guards what the roster says of them, the role and the `RosterEntry`, against two people editing
    it at once.
    """

    __tablename__ = "membership"

    course_id: Mapped[UUID] = mapped_column(ForeignKey("course.id"), primary_key=True)
    user_id: Mapped[UUID] = mapped_column(ForeignKey("app_user.id"), primary_key=True, index=True)
    role: Mapped[Role] = mapped_column(closed_set(Role, name="role"))
    created_at: Mapped[datetime]
    version: Mapped[int] = mapped_column(default=1)
