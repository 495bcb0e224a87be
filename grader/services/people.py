"""Courses and their members."""

from __future__ import annotations

from dataclasses import dataclass
from uuid import UUID, uuid4
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

from sqlalchemy import select
from sqlalchemy.orm import Session

from grader.db import models
from grader.db.database import Database
from grader.db.statements import insert_if_absent
from grader.domain.errors import ConfigurationInvalid, NotFound
from grader.domain.people import Role
from grader.services.auditing import Action, Subject, record


@dataclass(frozen=True, slots=True, kw_only=True)
class Course:
    """A course as its members see it."""

    id: UUID
    slug: str
    title: str
    timezone: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Person:
    """Somebody who can log in."""

    id: UUID
    login: str
    name: str


def ensure_course(database: Database, *, slug: str, title: str, timezone: str = "UTC") -> Course:
    """The course of that slug, made if it is not there; an existing one is not changed."""
    _require_zone(timezone)
    with database.writing() as session:
        now = database.now(session)
        row = {"id": uuid4(), "slug": slug, "title": title, "timezone": timezone, "created_at": now}
        created = insert_if_absent(session, models.Course, [row])
        found = session.scalars(select(models.Course).where(models.Course.slug == slug)).one()
        if created:
            record(session, Action.COURSE_CREATED, subject=Subject.COURSE, subject_id=found.id, at=now)
        return _course(found)


def find_course(database: Database, slug: str) -> Course:
    """The course of that slug; NotFound if there is none."""
    with database.reading() as session:
        found = session.scalar(select(models.Course).where(models.Course.slug == slug))
        if found is None:
            raise NotFound("course", slug)
        return _course(found)


def ensure_person(
    database: Database, *, login: str, name: str | None = None, email: str | None = None
) -> Person:
    """The person of that login, made if not there; an existing one is not changed."""
    with database.writing() as session:
        now = database.now(session)
        row = {"id": uuid4(), "login": login, "name": name or login, "email": email, "created_at": now}
        insert_if_absent(session, models.User, [row])
        found = session.scalars(select(models.User).where(models.User.login == login)).one()
        return Person(id=found.id, login=found.login, name=found.name)


def enrol(database: Database, *, course_id: UUID, user_id: UUID, role: Role = Role.STUDENT) -> None:
    """Give a person a role in a course, instead of the one they had, if any."""
    with database.writing() as session:
        now = database.now(session)
        key = {"course_id": course_id, "user_id": user_id}
        row = {**key, "role": role, "created_at": now, "version": 1}
        insert_if_absent(session, models.Membership, [row])
        member = session.get_one(models.Membership, (course_id, user_id))
        if member.role is not role:
            member.role = role
            member.version += 1
        record(
            session,
            Action.MEMBER_ENROLLED,
            subject=Subject.COURSE,
            subject_id=course_id,
            at=now,
            data={"user": str(user_id), "role": role.value},
        )


def role_in(session: Session, *, course_id: UUID, user_id: UUID) -> Role | None:
    """The role somebody has in a course; None for a stranger."""
    member = session.get(models.Membership, (course_id, user_id))
    return None if member is None else member.role


def _course(row: models.Course) -> Course:
    return Course(id=row.id, slug=row.slug, title=row.title, timezone=row.timezone)


def _require_zone(name: str) -> None:
    try:
        ZoneInfo(name)
    except (ZoneInfoNotFoundError, ValueError) as error:
        raise ConfigurationInvalid(
            "timezone", f"{name!r} is no time zone.", "Use an IANA name such as Europe/Zurich."
        ) from error
