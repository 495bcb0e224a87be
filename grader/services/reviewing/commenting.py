"""What staff say about a submission. Students read it at once, unless it is marked as for staff only.

Writing a comment takes nothing away from anybody, so it asks for no version; changing one does. What a
comment said before it was changed or deleted stays in the audit record.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from datetime import datetime
from uuid import UUID

from sqlalchemy import select
from sqlalchemy.orm import Session

from grader.db import models
from grader.db.database import Database
from grader.domain.errors import EditConflict, InvalidInput, NotAllowed, NotFound
from grader.domain.people import Role
from grader.domain.results import JsonValue
from grader.domain.text import one_line
from grader.services import reading
from grader.services.access import Actor, SubmissionSeat, submission_under_review
from grader.services.auditing import Action, Subject, record
from grader.services.reviewing.blind import OPEN
from grader.services.reviewing.inputs import text_of
from grader.services.reviewing.masking import mask_for_seat, masked_place
from grader.services.reviewing.places import WHOLE, Place, require_line
from grader.services.reviewing.seats import staff_behind
from grader.services.reviewing.versions import advance, lock


@dataclass(frozen=True, slots=True, kw_only=True)
class CommentView:
    """One comment with its author's name; `version` is what a change of it has to name."""

    id: UUID
    submission_id: UUID
    author_id: UUID
    author: str
    place: Place
    text: str
    staff_only: bool
    created_at: datetime
    edited_at: datetime | None
    version: int


def comment(
    database: Database,
    *,
    actor: Actor,
    submission_id: UUID,
    text: str,
    place: Place = WHOLE,
    staff_only: bool = False,
) -> CommentView:
    """Comment on a submission, on one of its lines, or on a check."""
    with database.reading() as session:
        found = submission_under_review(session, submission_id=submission_id, user_id=actor.user_id)
        found.seat.require_staff()
        mask = mask_for_seat(session, found)
        if place.check_id is not None:
            _require_check(session, submission_id, place.check_id)
    # Reading an upload takes a while; other writers need not wait for it.
    source = reading.files_of(database, submission_id)
    shown = masked_place(place, mask, mask.names(source))
    require_line(shown, mask.files(source))
    with database.writing() as session:
        found = submission_under_review(session, submission_id=submission_id, user_id=actor.user_id)
        found.seat.require_staff()
        row = add_comment(
            session,
            actor=actor,
            submission_id=submission_id,
            text=text,
            place=place,
            staff_only=staff_only,
            now=database.now(session),
        )
        return replace(_view(row, actor.name), place=shown)


def edit(
    database: Database, *, actor: Actor, comment_id: UUID, text: str, staff_only: bool, seen: int
) -> CommentView:
    """Change one's own comment; `seen` is the version of it that was looked at."""
    with database.writing() as session:
        row, found = _found(session, comment_id, actor)
        if row.author_id != found.seat.user_id:
            raise NotAllowed("only who wrote a comment may change its words. Write one of your own instead.")
        _require_seen(row, seen)
        now = database.now(session)
        before: dict[str, JsonValue] = {"text": row.text, "staff_only": row.staff_only}
        row.text, row.staff_only = text_of(text, field="comment"), staff_only
        row.edited_at, row.version = now, row.version + 1
        advance(session, row.submission_id)
        record(
            session,
            Action.COMMENT_EDITED,
            subject=Subject.COMMENT,
            subject_id=row.id,
            at=now,
            actor_id=actor.user_id,
            data={"submission": str(row.submission_id), "before": before},
        )
        view, mask = _view(row, actor.name), mask_for_seat(session, found)
    if mask is OPEN:
        return view
    names = mask.names(reading.files_of(database, view.submission_id))
    return replace(view, place=masked_place(view.place, mask, names))


def delete(database: Database, *, actor: Actor, comment_id: UUID, seen: int) -> None:
    """Take a comment away: one's own, or, as an instructor, anybody's."""
    with database.writing() as session:
        row, found = _found(session, comment_id, actor)
        if row.author_id != found.seat.user_id and found.seat.role is not Role.INSTRUCTOR:
            raise NotAllowed("only who wrote a comment, or an instructor, may delete it.")
        _require_seen(row, seen)
        now = database.now(session)
        row.deleted_at, row.version = now, row.version + 1
        advance(session, row.submission_id)
        record(
            session,
            Action.COMMENT_DELETED,
            subject=Subject.COMMENT,
            subject_id=row.id,
            at=now,
            actor_id=actor.user_id,
            data={"submission": str(row.submission_id), "before": {"text": row.text}},
        )


def add_comment(
    session: Session,
    *,
    actor: Actor,
    submission_id: UUID,
    text: str,
    place: Place,
    staff_only: bool,
    now: datetime,
) -> models.Comment:
    """Add a comment in the caller's transaction, which has made sure that the actor may and the place is."""
    lock(session, submission_id)
    row = models.Comment(
        submission_id=submission_id,
        author_id=actor.user_id,
        file=place.file,
        line=place.line,
        check_id=place.check_id,
        text=text_of(text, field="comment"),
        staff_only=staff_only,
        created_at=now,
    )
    session.add(row)
    session.flush()
    advance(session, submission_id)
    record(
        session,
        Action.COMMENT_WRITTEN,
        subject=Subject.COMMENT,
        subject_id=row.id,
        at=now,
        actor_id=actor.user_id,
        data={"submission": str(submission_id)},
    )
    return row


def comments_on(session: Session, submission_id: UUID, *, for_staff: bool) -> tuple[CommentView, ...]:
    """The comments of a submission that its reader may see, oldest first; one query."""
    query = (
        select(models.Comment, models.User.name)
        .join(models.User, models.User.id == models.Comment.author_id)
        .where(models.Comment.submission_id == submission_id, models.Comment.deleted_at.is_(None))
        .order_by(models.Comment.created_at, models.Comment.id)
    )
    if not for_staff:
        query = query.where(models.Comment.staff_only.is_(False))
    return tuple(_view(row, author) for row, author in session.execute(query))


def _found(session: Session, comment_id: UUID, actor: Actor) -> tuple[models.Comment, SubmissionSeat]:
    """A comment that is still there, its submission's review locked, and the seat of a member of staff."""
    submission_id = session.scalar(
        select(models.Comment.submission_id).where(models.Comment.id == comment_id)
    )
    found = staff_behind(session, "comment", comment_id, submission_id=submission_id, actor=actor)
    row = session.get_one(models.Comment, comment_id)
    lock(session, row.submission_id)
    session.refresh(row)
    if row.deleted_at is not None:
        raise NotFound("comment", str(comment_id))
    return row, found


def _require_seen(row: models.Comment, seen: int) -> None:
    if row.version != seen:
        raise EditConflict("This comment", seen=seen, current=row.version)


def _require_check(session: Session, submission_id: UUID, check_id: str) -> None:
    found = session.scalar(
        select(models.CheckResult.check_id)
        .join(models.Attempt, models.Attempt.id == models.CheckResult.attempt_id)
        .where(models.Attempt.submission_id == submission_id, models.CheckResult.check_id == check_id)
        .limit(1)
    )
    if found is None:
        raise InvalidInput(
            "check",
            f"no check {one_line(check_id, 80)!r} in this submission.",
            "Take its id from the report.",
        )


def _view(row: models.Comment, author: str) -> CommentView:
    return CommentView(
        id=row.id,
        submission_id=row.submission_id,
        author_id=row.author_id,
        author=author,
        place=Place(file=row.file, line=row.line, check_id=row.check_id),
        text=row.text,
        staff_only=row.staff_only,
        created_at=row.created_at,
        edited_at=row.edited_at,
        version=row.version,
    )
