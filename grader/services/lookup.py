"""What people at a command line ask for: a submission by the start of its id, and what is published."""

from __future__ import annotations

import re
from dataclasses import dataclass
from datetime import datetime
from uuid import UUID

from sqlalchemy import func, or_, select

from grader.db import models
from grader.db.database import Database
from grader.domain.errors import NotFound
from grader.domain.people import Role
from grader.domain.text import one_line
from grader.services.access import Actor

SHORT = 8
"""Characters of an id that receipts and lists show; enough to tell a course's submissions apart."""

MOST_MATCHES = 20
"""Submissions that the start of an id finds at most; one is meant."""


@dataclass(frozen=True, slots=True, kw_only=True)
class PublishedAssignment:
    """The newest version of an assignment."""

    slug: str
    title: str
    number: int
    content_hash: str
    published_at: datetime


_HEX = re.compile(r"[0-9a-f]{4,32}")
_DIGITS = 32


def short_id(submission_id: UUID) -> str:
    """The id as people see and type it."""
    return submission_id.hex[:SHORT]


def submissions_in_reach(
    database: Database, *, actor: Actor, start: str, course: str | None = None
) -> tuple[UUID, ...]:
    """The submissions whose ids begin so and that somebody may read: their own, and those of their courses.

    At most `MOST_MATCHES`; none for a start that is shorter than four hexadecimal digits.
    """
    if not _HEX.fullmatch(start):
        return ()
    mine = models.Membership.user_id == actor.user_id
    reach = or_(
        models.Membership.role.in_([role for role in Role if role.staff]),
        models.Submission.user_id == actor.user_id,
    )
    query = (
        select(models.Submission.id)
        .join(models.Assignment, models.Assignment.id == models.Submission.assignment_id)
        .join(models.Course, models.Course.id == models.Assignment.course_id)
        .join(models.Membership, models.Membership.course_id == models.Assignment.course_id)
        .where(models.Submission.id.between(*_between(start)), mine, reach)
        .order_by(models.Submission.id)
        .limit(MOST_MATCHES)
    )
    if course is not None:
        query = query.where(models.Course.slug == course)
    with database.reading() as session:
        return tuple(session.scalars(query))


def find_submission(database: Database, typed: str) -> UUID:
    """The submission whose id begins with `typed`; NotFound if there is none, or more than one."""
    prefix = typed.strip().lower().replace("-", "")
    if not _HEX.fullmatch(prefix):
        raise NotFound(
            "submission",
            one_line(typed, 80),
            "Give the id on its receipt, or four or more characters of its id.",
        )
    with database.reading() as session:
        query = select(models.Submission.id).where(models.Submission.id.between(*_between(prefix))).limit(2)
        found = session.scalars(query).all()
    if not found:
        raise NotFound("submission", typed, "`grader status` lists the latest.")
    if len(found) > 1:
        raise NotFound("single submission", typed, "Several ids begin so; give more characters.")
    return found[0]


def _between(start: str) -> tuple[UUID, UUID]:
    """The least and the greatest id that begin so."""
    return UUID(hex=start.ljust(_DIGITS, "0")), UUID(hex=start.ljust(_DIGITS, "f"))


def published_assignments(database: Database, *, course_id: UUID) -> tuple[PublishedAssignment, ...]:
    """A course's assignments with their newest versions, by slug."""
    newest = (
        select(func.max(models.AssignmentVersion.number))
        .where(models.AssignmentVersion.assignment_id == models.Assignment.id)
        .correlate(models.Assignment)
        .scalar_subquery()
    )
    query = (
        select(models.Assignment, models.AssignmentVersion)
        .join(models.AssignmentVersion, models.AssignmentVersion.assignment_id == models.Assignment.id)
        .where(models.Assignment.course_id == course_id, models.AssignmentVersion.number == newest)
        .order_by(models.Assignment.slug)
    )
    with database.reading() as session:
        return tuple(
            PublishedAssignment(
                slug=row.slug,
                title=row.title,
                number=version.number,
                content_hash=version.content_hash,
                published_at=version.published_at,
            )
            for row, version in session.execute(query)
        )
