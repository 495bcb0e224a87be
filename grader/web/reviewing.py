"""What the review pages and API share: how a queue is asked for in an address, and blind reading."""

from __future__ import annotations

import re
from typing import Annotated, TypeVar
from urllib.parse import urlencode
from uuid import UUID

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field

from grader.db.database import Database
from grader.domain.verdicts import Family, Verdict
from grader.services.access import Actor, Seat, seat_in, submission_under_review
from grader.services.reviewing.blind import Blind, blind_for
from grader.services.reviewing.filters import Order, QueueFilter, Reviewed
from grader.services.reviewing.queue import MOST_ON_A_PAGE, PAGE

Value = TypeVar("Value")


def _empty_is_none(value: object) -> object:
    return None if value == "" else value


Maybe = Annotated[Value | None, BeforeValidator(_empty_is_none)]
"""A filter that a form sends empty where it is not set."""

Name = Annotated[str, Field(max_length=200)]

AT_PATTERN = re.compile(r"[0-9]{1,4}\.[0-9]{1,7}", re.ASCII)
"""A line of a submission in an address: the file's place among its files, from 0, and the line, from 1."""


class QueueParams(BaseModel):
    """A queue as an address asks for it; the same words in pages and in the API."""

    model_config = ConfigDict(extra="ignore", frozen=True)

    assignment: Maybe[Name] = None
    section: Maybe[Name] = None
    criterion: Maybe[Name] = None
    family: Maybe[Family] = None
    verdict: Maybe[Verdict] = None
    code: Maybe[Name] = None
    reviewed: Maybe[Reviewed] = None
    flagged: bool = False
    requested: bool = False
    needs_staff: bool = False
    every: bool = False
    order: Order = Order.OLDEST
    blind: bool = False

    @property
    def wanted(self) -> QueueFilter:
        """The filter alone."""
        return QueueFilter(
            assignment=self.assignment,
            section=self.section,
            criterion=self.criterion,
            family=self.family,
            verdict=self.verdict,
            code=self.code,
            flagged=self.flagged,
            requested=self.requested,
            needs_staff=self.needs_staff,
            reviewed=self.reviewed,
            every=self.every,
        )

    def query(self, **more: str | int | None) -> str:
        """An address's query that asks for the same, what is not set left out, and `more` besides."""
        queue = {name: _written(getattr(self, name)) for name in QueueParams.model_fields}
        default = {name: _written(field.default) for name, field in QueueParams.model_fields.items()}
        kept = {name: text for name, text in queue.items() if text != default[name]}
        added = {name: str(value) for name, value in more.items() if value is not None}
        return urlencode(kept | added)


class PageParams(QueueParams):
    """One page of a queue: `after` is the last submission of the page before."""

    after: UUID | None = None
    limit: Annotated[int, Field(ge=1, le=MOST_ON_A_PAGE)] = PAGE


class OpenParams(QueueParams):
    """A submission opened from a queue; `attempt`, `at` and `check` say what of it to show."""

    attempt: Annotated[int, Field(ge=1, le=1_000_000)] | None = None
    at: Annotated[str, Field(pattern=f"^{AT_PATTERN.pattern}$")] | None = None
    check: Annotated[str, Field(max_length=300)] | None = None


def blind_in_course(
    database: Database, params: QueueParams, *, actor: Actor, course: str, secret: bytes
) -> Blind | None:
    """The reader's blindness in a course, if they asked for it, or the course asks it of them."""
    with database.reading() as session:
        seat = seat_in(session, course=course, user_id=actor.user_id).require_staff()
    return _blindness(seat, params, secret=secret)


def blind_at(
    database: Database, params: QueueParams, *, actor: Actor, submission_id: UUID, secret: bytes
) -> Blind | None:
    """The reader's blindness in the course of a submission, if they or the course ask for it."""
    with database.reading() as session:
        seat = submission_under_review(session, submission_id=submission_id, user_id=actor.user_id).seat
    return _blindness(seat, params, secret=secret)


def _blindness(seat: Seat, params: QueueParams, *, secret: bytes) -> Blind | None:
    if not (params.blind or seat.names_hidden):
        return None
    return blind_for(secret, reader_id=seat.user_id, course_id=seat.course_id)


def _written(value: object) -> str:
    if value is None or value is False:
        return ""
    return "yes" if value is True else str(value)
