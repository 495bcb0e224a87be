"""What staff and student have said about a submission beside its results: comments, adjustments, requests.

A student reads no staff-only comment, nothing about a check that is not open to them, and not which member of
the staff it was.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from fractions import Fraction
from uuid import UUID

from sqlalchemy import select
from sqlalchemy.orm import Session, aliased

from grader.db import models
from grader.domain.errors import NotFound
from grader.domain.reviewing import AdjustmentKind, RequestState
from grader.domain.view import Disclosure, Reader
from grader.services.access import SubmissionSeat

STAFF_NAME = "course staff"
"""How students read of whoever commented, adjusted or answered."""

_SEALED = "a check that stays hidden"


@dataclass(frozen=True, slots=True, kw_only=True)
class CommentNote:
    """A comment about a line, about a check, or (neither) about the whole."""

    id: UUID
    text: str
    author: str
    at: datetime
    edited: bool
    file: str | None
    line: int | None
    check_id: str | None
    staff_only: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class AdjustmentNote:
    """A change of points: of the check `about`, set to `points`, or of the whole, by `points`.

    `replaced` says that the check was set again since.
    """

    id: UUID
    kind: AdjustmentKind
    about: str
    points: Fraction
    reason: str
    author: str
    at: datetime
    revoked: bool
    replaced: bool
    check_id: str | None
    """The check, where it may be named."""


@dataclass(frozen=True, slots=True, kw_only=True)
class RequestNote:
    """A request for a regrade and what came of it."""

    id: UUID
    about: str
    text: str
    at: datetime
    state: RequestState
    answer: str
    answered_by: str
    answered_at: datetime | None
    version: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Notes:
    """Everything said beside the results, oldest first."""

    comments: tuple[CommentNote, ...]
    adjustments: tuple[AdjustmentNote, ...]
    requests: tuple[RequestNote, ...]

    @property
    def open_request(self) -> RequestNote | None:
        """The request that waits for an answer."""
        return next((item for item in self.requests if item.state is RequestState.OPEN), None)

    def request(self, request_id: UUID) -> RequestNote:
        """One of the requests; NotFound if it is none of these."""
        for item in self.requests:
            if item.id == request_id:
                return item
        raise NotFound("regrade request", str(request_id))


@dataclass(frozen=True, slots=True, kw_only=True)
class _Sight:
    """What a reader may know of checks and people."""

    reader: Reader
    seen: Mapping[str, Disclosure]
    titles: Mapping[str, str]

    def open(self, check_id: str | None) -> bool:
        """Whether something about that check, or about none, may be read."""
        return check_id is None or self.reader.staff or self._of(check_id) is not Disclosure.NOTHING

    def place(self, check_id: str | None) -> str | None:
        """The check, where it may be named."""
        if check_id is None or self.reader.staff or self._of(check_id) is Disclosure.FULL:
            return check_id
        return None

    def title(self, check_id: str | None) -> str:
        if check_id is None:
            return ""
        named = self.place(check_id)
        return self.titles.get(named, named) if named is not None else _SEALED

    def person(self, name: str | None) -> str:
        return (name or STAFF_NAME) if self.reader.staff else STAFF_NAME

    def _of(self, check_id: str) -> Disclosure:
        return self.seen.get(check_id, Disclosure.NOTHING)


def notes_for(
    session: Session,
    found: SubmissionSeat,
    *,
    reader: Reader,
    seen: Mapping[str, Disclosure],
    titles: Mapping[str, str],
) -> Notes:
    """What that reader may know; `seen` says how much of each check, `titles` what it is called."""
    sight = _Sight(reader=reader, seen=seen, titles=titles)
    submission_id = found.submission.id
    return Notes(
        comments=_comments(session, submission_id, sight),
        adjustments=_adjustments(session, submission_id, sight),
        requests=_requests(session, submission_id, sight),
    )


def _comments(session: Session, submission_id: UUID, sight: _Sight) -> tuple[CommentNote, ...]:
    query = (
        select(models.Comment, models.User.name)
        .join(models.User, models.User.id == models.Comment.author_id)
        .where(models.Comment.submission_id == submission_id, models.Comment.deleted_at.is_(None))
        .order_by(models.Comment.created_at, models.Comment.id)
    )
    if not sight.reader.staff:
        query = query.where(models.Comment.staff_only.is_(False))
    return tuple(
        CommentNote(
            id=row.id,
            text=row.text,
            author=sight.person(author),
            at=row.edited_at or row.created_at,
            edited=row.edited_at is not None,
            file=row.file,
            line=row.line,
            check_id=sight.place(row.check_id),
            staff_only=row.staff_only,
        )
        for row, author in session.execute(query)
        if sight.open(row.check_id)
    )


def _adjustments(session: Session, submission_id: UUID, sight: _Sight) -> tuple[AdjustmentNote, ...]:
    revoking = aliased(models.Adjustment)
    query = (
        select(models.Adjustment, models.User.name, revoking.id)
        .outerjoin(models.User, models.User.id == models.Adjustment.author_id)
        .outerjoin(revoking, revoking.revokes_id == models.Adjustment.id)
        .where(models.Adjustment.submission_id == submission_id, models.Adjustment.revokes_id.is_(None))
        .order_by(models.Adjustment.created_at, models.Adjustment.id)
    )
    rows = session.execute(query).all()
    taken_back = {row.id for row, _, revoked_by in rows if revoked_by is not None}
    last: dict[str | None, UUID] = {
        row.check_id: row.id for row, *_ in rows if row.check_id and row.id not in taken_back
    }
    return tuple(
        AdjustmentNote(
            id=row.id,
            kind=row.kind,
            about=sight.title(row.check_id),
            points=row.points,
            reason=row.reason,
            author=sight.person(author),
            at=row.created_at,
            revoked=row.id in taken_back,
            replaced=row.id not in taken_back and last.get(row.check_id, row.id) != row.id,
            check_id=sight.place(row.check_id),
        )
        for row, author, _ in rows
        if sight.open(row.check_id)
    )


def _requests(session: Session, submission_id: UUID, sight: _Sight) -> tuple[RequestNote, ...]:
    query = (
        select(models.RegradeRequest, models.User.name)
        .outerjoin(models.User, models.User.id == models.RegradeRequest.answered_by)
        .where(models.RegradeRequest.submission_id == submission_id)
        .order_by(models.RegradeRequest.created_at, models.RegradeRequest.id)
    )
    return tuple(
        RequestNote(
            id=row.id,
            about=sight.title(row.check_id),
            text=row.text,
            at=row.created_at,
            state=row.state,
            answer=row.answer or "",
            answered_by=sight.person(author) if row.answered_at else "",
            answered_at=row.answered_at,
            version=row.version,
        )
        for row, author in session.execute(query)
    )
