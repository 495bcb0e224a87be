"""More time for one student: granting an extension, taking it back, and what has been granted."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from uuid import UUID

from sqlalchemy import select
from sqlalchemy.orm import Session, aliased

from grader.db import models
from grader.db.database import Database
from grader.domain.errors import Conflict, InvalidInput, NotFound
from grader.domain.text import one_line, printable
from grader.domain.zones import require_tellable
from grader.services.access import Actor, Seat, assignment_in, seat_in
from grader.services.auditing import Action, Subject, record
from grader.services.schedules import schedule_of

LONGEST_REASON = 1000


@dataclass(frozen=True, slots=True, kw_only=True)
class ExtensionView:
    """One extension. Of several for one student and assignment the newest not revoked holds."""

    id: UUID
    assignment_id: UUID
    user_id: UUID
    login: str
    name: str
    due_at: datetime
    closes_at: datetime | None
    reason: str
    granted_by: str | None
    granted_at: datetime
    revoked_at: datetime | None


def extensions(
    database: Database, *, actor: Actor, course: str, slug: str | None = None, login: str | None = None
) -> tuple[ExtensionView, ...]:
    """What was granted in a course, newest first, revoked ones too; for staff."""
    with database.reading() as session:
        seat = seat_in(session, course=course, user_id=actor.user_id).require_staff().require_names()
        return _extensions(session, seat, slug=slug, login=login)


def grant_extension(
    database: Database,
    *,
    actor: Actor,
    course: str,
    slug: str,
    login: str,
    due_at: datetime,
    closes_at: datetime | None = None,
    reason: str,
) -> ExtensionView:
    """Give a member more time. The reason is kept, and shown to them."""
    reason = printable(reason.strip(), limit=LONGEST_REASON)
    if not reason:
        raise InvalidInput("reason", "it is empty.", "Say why, for whoever asks later.")
    require_tellable(due_at, field="due")
    require_tellable(closes_at, field="closes")
    if closes_at is not None and closes_at < due_at:
        raise InvalidInput("closes", "it would close before the extended deadline.")
    with database.writing() as session:
        now = database.now(session)
        seat = seat_in(session, course=course, user_id=actor.user_id).require_instructor()
        assignment = assignment_in(session, seat, slug=slug, now=now)
        member = _member(session, seat, login)
        own = schedule_of(session, assignment.id).due_at
        if own is None:
            raise Conflict(f"The assignment {slug} has no deadline that could be extended.")
        if due_at <= own:
            raise InvalidInput("due", "it is not after the assignment's own deadline.", "Give a later time.")
        row = models.Extension(
            assignment_id=assignment.id,
            user_id=member.id,
            due_at=due_at,
            closes_at=closes_at,
            reason=reason,
            granted_by=actor.user_id,
            granted_at=now,
            revoked_at=None,
        )
        session.add(row)
        session.flush()
        record(
            session,
            Action.EXTENSION_GRANTED,
            subject=Subject.EXTENSION,
            subject_id=row.id,
            at=now,
            actor_id=actor.user_id,
            data={"student": str(member.id), "assignment": slug, "due_at": due_at.isoformat()},
        )
        return _view(row, member, actor.name)


def revoke_extension(database: Database, *, actor: Actor, course: str, extension_id: UUID) -> None:
    """Take an extension back; it stays on record. Conflict if that was done already."""
    with database.writing() as session:
        now = database.now(session)
        seat = seat_in(session, course=course, user_id=actor.user_id).require_instructor()
        row = session.scalar(
            select(models.Extension)
            .join(models.Assignment, models.Assignment.id == models.Extension.assignment_id)
            .where(models.Extension.id == extension_id, models.Assignment.course_id == seat.course_id)
            .with_for_update()
        )
        if row is None:
            raise NotFound("extension", str(extension_id))
        if row.revoked_at is not None:
            raise Conflict("this extension has been taken back already.")
        row.revoked_at = now
        record(
            session,
            Action.EXTENSION_REVOKED,
            subject=Subject.EXTENSION,
            subject_id=row.id,
            at=now,
            actor_id=actor.user_id,
        )


def _extensions(
    session: Session, seat: Seat, *, slug: str | None, login: str | None
) -> tuple[ExtensionView, ...]:
    granter = aliased(models.User)
    query = (
        select(models.Extension, models.User, granter.name)
        .join(models.Assignment, models.Assignment.id == models.Extension.assignment_id)
        .join(models.User, models.User.id == models.Extension.user_id)
        .outerjoin(granter, granter.id == models.Extension.granted_by)
        .where(models.Assignment.course_id == seat.course_id)
        .order_by(models.Extension.granted_at.desc())
    )
    if slug is not None:
        query = query.where(models.Assignment.slug == slug)
    if login is not None:
        query = query.where(models.User.login == login)
    return tuple(_view(row, person, by) for row, person, by in session.execute(query))


def _member(session: Session, seat: Seat, login: str) -> models.User:
    found = session.scalar(
        select(models.User)
        .join(models.Membership, models.Membership.user_id == models.User.id)
        .where(models.Membership.course_id == seat.course_id, models.User.login == login.strip())
    )
    if found is None:
        raise NotFound("member", one_line(login, 80), "The roster lists the course's members.")
    return found


def _view(row: models.Extension, person: models.User, by: str | None) -> ExtensionView:
    return ExtensionView(
        id=row.id,
        assignment_id=row.assignment_id,
        user_id=row.user_id,
        login=person.login,
        name=person.name,
        due_at=row.due_at,
        closes_at=row.closes_at,
        reason=row.reason,
        granted_by=by,
        granted_at=row.granted_at,
        revoked_at=row.revoked_at,
    )
