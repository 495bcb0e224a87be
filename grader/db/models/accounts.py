"""How people log in. Secrets are stored as hashes: whoever reads the database cannot log in with it."""

from __future__ import annotations

from datetime import datetime
from uuid import UUID, uuid4

from sqlalchemy import ForeignKey, Index, UniqueConstraint
from sqlalchemy.orm import Mapped, mapped_column

from grader.db.base import Base, hash_column
from grader.db.types import closed_set
from grader.domain.people import Role


class Account(Base):
    """A person's way in; somebody without one is only named, for instance by the command line.

    `password_hash` is Argon2's own text, None where only single sign-on is used. `timezone` (IANA) is for
    display; None follows the course.
    """

    __tablename__ = "account"

    user_id: Mapped[UUID] = mapped_column(ForeignKey("app_user.id"), primary_key=True)
    password_hash: Mapped[str | None]
    timezone: Mapped[str | None]
    may_create_courses: Mapped[bool] = mapped_column(default=False)
    disabled_at: Mapped[datetime | None]


class Identity(Base):
    """A person as an OpenID Connect provider knows them."""

    __tablename__ = "identity"

    issuer: Mapped[str] = mapped_column(primary_key=True)
    subject: Mapped[str] = mapped_column(primary_key=True)
    user_id: Mapped[UUID] = mapped_column(ForeignKey("app_user.id"), index=True)
    created_at: Mapped[datetime]


class LoginSession(Base):
    """Somebody logged in with a browser; `token_hash` is the SHA-256 of what its cookie holds."""

    __tablename__ = "login_session"

    id: Mapped[UUID] = mapped_column(primary_key=True, default=uuid4)
    token_hash: Mapped[str] = mapped_column(hash_column(), unique=True)
    user_id: Mapped[UUID] = mapped_column(ForeignKey("app_user.id"), index=True)
    created_at: Mapped[datetime]
    last_seen_at: Mapped[datetime]
    expires_at: Mapped[datetime]
    user_agent: Mapped[str]


class ApiToken(Base):
    """A personal token for scripts and the command line, shown once; `hint` is its last characters."""

    __tablename__ = "api_token"

    id: Mapped[UUID] = mapped_column(primary_key=True, default=uuid4)
    token_hash: Mapped[str] = mapped_column(hash_column(), unique=True)
    user_id: Mapped[UUID] = mapped_column(ForeignKey("app_user.id"), index=True)
    name: Mapped[str]
    hint: Mapped[str]
    created_at: Mapped[datetime]
    expires_at: Mapped[datetime | None]
    last_used_at: Mapped[datetime | None]
    revoked_at: Mapped[datetime | None]


class Invitation(Base):
    """A link by which somebody joins a course, once; for one person where `user_id` is set.

    Without a course it sets a new password for that person, and nothing else.
    """

    __tablename__ = "invitation"

    id: Mapped[UUID] = mapped_column(primary_key=True, default=uuid4)
    token_hash: Mapped[str] = mapped_column(hash_column(), unique=True)
    course_id: Mapped[UUID | None] = mapped_column(ForeignKey("course.id"), index=True)
    user_id: Mapped[UUID | None] = mapped_column(ForeignKey("app_user.id"), index=True)
    role: Mapped[Role | None] = mapped_column(closed_set(Role, name="role"))
    created_by: Mapped[UUID | None] = mapped_column(ForeignKey("app_user.id"))
    created_at: Mapped[datetime]
    expires_at: Mapped[datetime]
    used_at: Mapped[datetime | None]
    used_by: Mapped[UUID | None] = mapped_column(ForeignKey("app_user.id"))
    revoked_at: Mapped[datetime | None]


class LoginFailure(Base):
    """A failed try to log in; `key` is the hash of one of the things that it counts for."""

    __tablename__ = "login_failure"
    __table_args__ = (Index(None, "key", "at"),)

    id: Mapped[UUID] = mapped_column(primary_key=True, default=uuid4)
    key: Mapped[str] = mapped_column(hash_column())
    at: Mapped[datetime]


class RosterEntry(Base):
    """What a course knows of a member beside their role.

    `student_number` is the university's (a learning platform's SIS id). `extra_days` is a standing
    accommodation: days added to every deadline of the course.
    """

    __tablename__ = "roster_entry"
    __table_args__ = (UniqueConstraint("course_id", "student_number"),)

    course_id: Mapped[UUID] = mapped_column(ForeignKey("course.id"), primary_key=True)
    user_id: Mapped[UUID] = mapped_column(ForeignKey("app_user.id"), primary_key=True, index=True)
    student_number: Mapped[str | None]
    section: Mapped[str | None]
    extra_days: Mapped[int] = mapped_column(default=0)
