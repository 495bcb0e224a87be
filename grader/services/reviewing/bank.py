"""The comments that a course keeps for use again, those for the feedback code at hand first."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass
from uuid import UUID

from sqlalchemy import select
from sqlalchemy.orm import Session

from grader.db import models
from grader.db.database import Database
from grader.domain.catalogue import CODES
from grader.domain.errors import EditConflict, InvalidInput, NotFound
from grader.domain.text import did_you_mean, one_line
from grader.services.access import Actor, Seat, seat_in
from grader.services.auditing import Action, Subject, record
from grader.services.reviewing.inputs import TITLE_LIMIT, text_of


@dataclass(frozen=True, slots=True, kw_only=True)
class BankEntry:
    """A kept comment; `code` is the feedback code it is offered for first."""

    id: UUID
    title: str
    text: str
    code: str | None
    version: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Bank:
    """The kept comments of one course."""

    seat: Seat
    entries: tuple[BankEntry, ...]


def bank_of(database: Database, *, actor: Actor, course: str, codes: Collection[str] = ()) -> Bank:
    """The course's kept comments, those for one of the codes first, then by title."""
    with database.reading() as session:
        seat = seat_in(session, course=course, user_id=actor.user_id).require_staff()
        rows = session.scalars(
            select(models.BankComment).where(
                models.BankComment.course_id == seat.course_id, models.BankComment.deleted_at.is_(None)
            )
        )
        found = [_entry(row) for row in rows]
    ordered = sorted(found, key=lambda item: (item.code not in codes, item.title.casefold(), item.id.hex))
    return Bank(seat=seat, entries=tuple(ordered))


def keep(
    database: Database, *, actor: Actor, course: str, title: str, text: str, code: str | None = None
) -> BankEntry:
    """Keep a comment for use again."""
    with database.writing() as session:
        seat = seat_in(session, course=course, user_id=actor.user_id).require_staff()
        now = database.now(session)
        row = models.BankComment(
            course_id=seat.course_id,
            title=_title(title),
            text=text_of(text, field="text"),
            code=_code(code),
            created_by=actor.user_id,
            created_at=now,
        )
        session.add(row)
        session.flush()
        record(
            session,
            Action.BANK_COMMENT_WRITTEN,
            subject=Subject.BANK_COMMENT,
            subject_id=row.id,
            at=now,
            actor_id=actor.user_id,
            data={"course": seat.course_slug},
        )
        return _entry(row)


def edit(
    database: Database,
    *,
    actor: Actor,
    course: str,
    entry_id: UUID,
    title: str,
    text: str,
    seen: int,
    code: str | None = None,
) -> BankEntry:
    """Change a kept comment; comments made with it stay as they are."""
    with database.writing() as session:
        row = _found(session, actor=actor, course=course, entry_id=entry_id, seen=seen)
        before = {"title": row.title, "text": row.text, "code": row.code}
        row.title, row.text, row.code = _title(title), text_of(text, field="text"), _code(code)
        row.version += 1
        record(
            session,
            Action.BANK_COMMENT_EDITED,
            subject=Subject.BANK_COMMENT,
            subject_id=row.id,
            at=database.now(session),
            actor_id=actor.user_id,
            data={"before": before},
        )
        return _entry(row)


def delete(database: Database, *, actor: Actor, course: str, entry_id: UUID, seen: int) -> None:
    """Keep a comment no longer."""
    with database.writing() as session:
        row = _found(session, actor=actor, course=course, entry_id=entry_id, seen=seen)
        now = database.now(session)
        row.deleted_at, row.version = now, row.version + 1
        record(
            session,
            Action.BANK_COMMENT_DELETED,
            subject=Subject.BANK_COMMENT,
            subject_id=row.id,
            at=now,
            actor_id=actor.user_id,
            data={"before": {"title": row.title, "text": row.text}},
        )


def _found(session: Session, *, actor: Actor, course: str, entry_id: UUID, seen: int) -> models.BankComment:
    seat = seat_in(session, course=course, user_id=actor.user_id).require_staff()
    row = session.scalar(
        select(models.BankComment)
        .where(
            models.BankComment.id == entry_id,
            models.BankComment.course_id == seat.course_id,
            models.BankComment.deleted_at.is_(None),
        )
        .with_for_update()
    )
    if row is None:
        raise NotFound("kept comment", str(entry_id))
    if row.version != seen:
        raise EditConflict("This kept comment", seen=seen, current=row.version)
    return row


def _title(typed: str) -> str:
    return one_line(text_of(typed, field="title", limit=TITLE_LIMIT), TITLE_LIMIT)


def _code(typed: str | None) -> str | None:
    if typed is None or not typed.strip():
        return None
    code = typed.strip()
    if code not in CODES:
        raise InvalidInput(
            "code",
            f"there is no feedback code {one_line(code, 60)!r}.",
            did_you_mean(code, CODES) or "Leave it empty, or take one from a report.",
        )
    return code


def _entry(row: models.BankComment) -> BankEntry:
    return BankEntry(id=row.id, title=row.title, text=row.text, code=row.code, version=row.version)
