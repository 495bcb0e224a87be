"""Finding a submission by what a person types: its id, or the first characters of it."""

from __future__ import annotations

import re
from uuid import UUID

from sqlalchemy import select

from grader.db import models
from grader.db.database import Database
from grader.domain.errors import NotFound
from grader.domain.text import one_line

SHORT = 8
"""Characters of an id that receipts and lists show; enough to tell a course's submissions apart."""

_HEX = re.compile(r"[0-9a-f]{4,32}")
_DIGITS = 32


def short_id(submission_id: UUID) -> str:
    """The id as people see and type it."""
    return submission_id.hex[:SHORT]


def find_submission(database: Database, typed: str) -> UUID:
    """The submission whose id begins with `typed`; NotFound if there is none, or more than one."""
    prefix = typed.strip().lower().replace("-", "")
    if not _HEX.fullmatch(prefix):
        raise NotFound("submission", one_line(typed, 80), "Give the id on its receipt, or four or more characters.")
    low, high = (UUID(hex=prefix.ljust(_DIGITS, filler)) for filler in "0f")
    with database.reading() as session:
        query = select(models.Submission.id).where(models.Submission.id.between(low, high)).limit(2)
        found = session.scalars(query).all()
    if not found:
        raise NotFound("submission", typed, "`grader status` lists the latest.")
    if len(found) > 1:
        raise NotFound("single submission", typed, "Several ids begin so; give more characters.")
    return found[0]
