"""Courses: making one, and what holds in the whole of it."""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from datetime import datetime
from uuid import UUID, uuid4

from sqlalchemy import select
from sqlalchemy.orm import Session

from grader.db import models
from grader.db.database import Database
from grader.db.statements import insert_if_absent
from grader.domain.errors import Conflict, InvalidInput, NotAllowed
from grader.domain.people import Role
from grader.domain.text import one_line
from grader.domain.zones import zone_named
from grader.services.access import Actor, Seat, seat_in
from grader.services.auditing import Action, Subject, record
from grader.services.editing import change

LONGEST_TITLE = 200
MOST_GRACE_DAYS = 100
_SLUG = re.compile(r"[a-z0-9](?:[a-z0-9-]{0,62}[a-z0-9])?")
_TAKEN = frozenset({"new"})
"""Words that stand where a course's slug stands in addresses."""


@dataclass(frozen=True, slots=True, kw_only=True)
class CourseSettings:
    """What staff set for a course; `version` is what a change of it has to name.

    `names_hidden`: teaching assistants read without knowing whose work it is.
    """

    id: UUID
    slug: str
    title: str
    timezone: str
    grace_days: int = 0
    archived_at: datetime | None = None
    names_hidden: bool = False
    version: int = 1


@dataclass(frozen=True, slots=True, kw_only=True)
class SettingsWanted:
    """What is to hold in a course; `names_hidden` stays as it is where it is None."""

    title: str
    timezone: str
    grace_days: int
    archived: bool
    names_hidden: bool | None = None

    def checked(self) -> SettingsWanted:
        """The same as it is kept; InvalidInput names what cannot be."""
        if not 0 <= self.grace_days <= MOST_GRACE_DAYS:
            raise InvalidInput("grace days", f"{self.grace_days} is not between 0 and {MOST_GRACE_DAYS}.")
        return replace(self, title=_title(self.title), timezone=zone_named(self.timezone).key)


def create_course(
    database: Database, *, actor: Actor, slug: str, title: str, timezone: str
) -> CourseSettings:
    """Make a course with the actor as its instructor; Conflict if the slug is taken."""
    if not actor.may_create_courses:
        raise NotAllowed("you may not make courses. Ask an instructor for an invitation to theirs.")
    slug, title, timezone = _slug(slug), _title(title), zone_named(timezone).key
    with database.writing() as session:
        now = database.now(session)
        row = {"id": uuid4(), "slug": slug, "title": title, "timezone": timezone, "created_at": now}
        if not insert_if_absent(session, models.Course, [row]):
            raise Conflict(f"there is a course called {slug} already. Choose another short name.")
        course = session.scalars(select(models.Course).where(models.Course.slug == slug)).one()
        session.add_all(
            [
                models.Membership(
                    course_id=course.id, user_id=actor.user_id, role=Role.INSTRUCTOR, created_at=now
                ),
                models.CoursePolicy(course_id=course.id, grace_days=0, archived_at=None),
            ]
        )
        record(
            session,
            Action.COURSE_CREATED,
            subject=Subject.COURSE,
            subject_id=course.id,
            at=now,
            actor_id=actor.user_id,
            data={"slug": slug},
        )
        session.flush()
        return _settings(session, course)


def course_settings(database: Database, *, actor: Actor, course: str) -> CourseSettings:
    """What is set for a course, for its staff."""
    with database.reading() as session:
        seat = seat_in(session, course=course, user_id=actor.user_id).require_staff()
        return _settings(session, session.get_one(models.Course, seat.course_id))


def change_course(
    database: Database,
    *,
    actor: Actor,
    course: str,
    seen: int,
    wanted: SettingsWanted,
) -> CourseSettings:
    """Change what is set; EditConflict where somebody else did meanwhile."""
    wanted = wanted.checked()
    with database.writing() as session:
        now = database.now(session)
        seat = seat_in(session, course=course, user_id=actor.user_id).require_instructor()
        policy = policy_of(session, seat.course_id)
        hidden = policy.names_hidden if wanted.names_hidden is None else wanted.names_hidden
        change(
            session,
            models.CoursePolicy,
            models.CoursePolicy.course_id == seat.course_id,
            what="The course's settings",
            seen=seen,
            values={
                "grace_days": wanted.grace_days,
                "archived_at": (policy.archived_at or now) if wanted.archived else None,
                "names_hidden": hidden,
            },
        )
        row = session.get_one(models.Course, seat.course_id)
        row.title, row.timezone = wanted.title, wanted.timezone
        record(
            session,
            Action.COURSE_CHANGED,
            subject=Subject.COURSE,
            subject_id=seat.course_id,
            at=now,
            actor_id=actor.user_id,
            data={
                "title": wanted.title,
                "timezone": wanted.timezone,
                "grace_days": wanted.grace_days,
                "archived": wanted.archived,
                "names_hidden": hidden,
            },
        )
        session.flush()
        session.refresh(policy)
        return _settings(session, row)


def policy_of(session: Session, course_id: UUID) -> models.CoursePolicy:
    """The course's policy row for changing it, made with its defaults where a course has none yet."""
    row = {"course_id": course_id, "grace_days": 0, "archived_at": None, "version": 1}
    insert_if_absent(session, models.CoursePolicy, [row])
    return session.get_one(models.CoursePolicy, course_id)


def grace_days_of(session: Session, course_id: UUID) -> int:
    """How many grace days each student has in a course."""
    days = session.scalar(
        select(models.CoursePolicy.grace_days).where(models.CoursePolicy.course_id == course_id)
    )
    return days or 0


def require_open(session: Session, seat: Seat) -> None:
    """Refuse changes in a course that was archived."""
    archived = session.scalar(
        select(models.CoursePolicy.archived_at).where(models.CoursePolicy.course_id == seat.course_id)
    )
    if archived is not None:
        raise Conflict(
            f"The course {seat.course_slug} is archived. Take it out of the archive in its settings first."
        )


def _settings(session: Session, course: models.Course) -> CourseSettings:
    policy = session.get(models.CoursePolicy, course.id)
    return CourseSettings(
        id=course.id,
        slug=course.slug,
        title=course.title,
        timezone=course.timezone,
        grace_days=0 if policy is None else policy.grace_days,
        archived_at=None if policy is None else policy.archived_at,
        names_hidden=policy is not None and policy.names_hidden,
        version=1 if policy is None else policy.version,
    )


def _slug(typed: str) -> str:
    slug = typed.strip().lower()
    if not _SLUG.fullmatch(slug) or slug in _TAKEN:
        raise InvalidInput(
            "short name",
            f"{one_line(typed, 80)!r} cannot stand in an address.",
            "Use up to 64 small letters, digits and hyphens, such as jax-2027.",
        )
    return slug


def _title(typed: str) -> str:
    title = one_line(typed, LONGEST_TITLE + 1)
    if not title or len(title) > LONGEST_TITLE:
        raise InvalidInput("title", f"it must have between 1 and {LONGEST_TITLE} characters.")
    return title
