"""What people at a command line ask for: a submission by the start of its id, and what is published."""

from __future__ import annotations

import re
from dataclasses import dataclass
from datetime import datetime
from uuid import UUID

from sqlalchemy import func, select

from grader.db import models
from grader.db.database import Database
from grader.domain.errors import NotFound
from grader.domain.text import one_line

SHORT = 8
"""Characters of an id that receipts and lists show; enough to tell a course's submissions apart."""


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


def find_submission(database: Database, typed: str) -> UUID:
    """The submission whose id begins with `typed`; NotFound if there is none, or more than one."""
    prefix = typed.strip().lower().replace("-", "")
    if not _HEX.fullmatch(prefix):
        raise NotFound(
            "submission",
            one_line(typed, 80),
            "Give the id on its receipt, or four or more characters of its id.",
        )
    low, high = (UUID(hex=prefix.ljust(_DIGITS, filler)) for filler in "0f")
    with database.reading() as session:
        query = select(models.Submission.id).where(models.Submission.id.between(low, high)).limit(2)
        found = session.scalars(query).all()
    if not found:
        raise NotFound("submission", typed, "`grader status` lists the latest.")
    if len(found) > 1:
        raise NotFound("single submission", typed, "Several ids begin so; give more characters.")
    return found[0]


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
