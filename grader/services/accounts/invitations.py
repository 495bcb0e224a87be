"""Links by which people come in, once each: into a course, or back to an account whose password is lost.

A link's secret is a key. It is shown to the one who made it, stored as a hash, and worth nothing after its
use, its date, or its revocation. Opening a link changes nothing: mail programs do that by themselves.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from uuid import UUID

from sqlalchemy import Select, select
from sqlalchemy.orm import Session

from grader.db import models
from grader.db.database import Database
from grader.domain.errors import InvalidInput, NotAllowed, NotFound
from grader.domain.people import Role
from grader.services.access import Actor, Seat, seat_in
from grader.services.accounts.secrets import hash_of, new_secret
from grader.services.auditing import Action, Subject, record

LIFE_DAYS = 14
RESET_DAYS = 2
MOST_DAYS = 180
_MOST_AT_ONCE = 2000


@dataclass(frozen=True, slots=True, kw_only=True)
class NewInvitation:
    """An invitation just made; `secret` is the end of its link, shown once. `user_id` is whom it is for."""

    id: UUID
    secret: str
    user_id: UUID | None
    expires_at: datetime

    @property
    def path(self) -> str:
        """Where it is used; `WebContext.link` makes the full address."""
        return f"/join/{self.secret}"


@dataclass(frozen=True, slots=True, kw_only=True)
class PendingInvitation:
    """An invitation as staff see it in a list."""

    id: UUID
    role: Role
    person: str | None
    made_by: str | None
    created_at: datetime
    expires_at: datetime


def invite(
    database: Database, *, actor: Actor, course: str, role: Role, days: int = LIFE_DAYS
) -> NewInvitation:
    """A link by which whoever has it joins the course with that role. Instructors only."""
    _require_days(days)
    with database.writing() as session:
        now = database.now(session)
        seat = seat_in(session, course=course, user_id=actor.user_id).require_instructor()
        return _add(session, seat, role=role, user_id=None, days=days, now=now)


def invite_people(
    database: Database, *, actor: Actor, course: str, user_ids: Sequence[UUID], days: int = LIFE_DAYS
) -> tuple[NewInvitation, ...]:
    """A link for each of these members who cannot log in yet, by which they set their password.

    Earlier links of theirs for the course end: of two letters, the newer holds. Members who have a way in
    already are left out.
    """
    _require_days(days)
    if len(user_ids) > _MOST_AT_ONCE:
        raise InvalidInput("people", f"there are more than {_MOST_AT_ONCE:,}.", "Invite them in parts.")
    with database.writing() as session:
        now = database.now(session)
        seat = seat_in(session, course=course, user_id=actor.user_id).require_instructor()
        made = []
        for member in _members_without_account(session, seat, user_ids):
            _require_may_vouch(session, actor, user_id=member.user_id)
            end_links(session, course_id=seat.course_id, user_id=member.user_id, now=now)
            made.append(_add(session, seat, role=member.role, user_id=member.user_id, days=days, now=now))
        return tuple(made)


def reset_password(database: Database, *, actor: Actor, course: str, user_id: UUID) -> NewInvitation:
    """A link by which a member of the actor's course sets a new password.

    NotAllowed where that would let the actor into more than they have: a course that they do not teach, or
    the right to found courses.
    """
    with database.writing() as session:
        now = database.now(session)
        seat = seat_in(session, course=course, user_id=actor.user_id).require_instructor()
        if session.get(models.Membership, (seat.course_id, user_id)) is None:
            raise NotFound("member", str(user_id))
        if session.get(models.Account, user_id) is None:
            raise NotFound("account", str(user_id), "Invite them instead: they have never logged in.")
        _require_may_vouch(session, actor, user_id=user_id)
        return _add_reset(session, user_id=user_id, created_by=actor.user_id, now=now)


def reset_password_by_operator(database: Database, *, login: str) -> NewInvitation:
    """The same for who runs the server, who could write it into the database anyway."""
    with database.writing() as session:
        now = database.now(session)
        user = session.scalar(select(models.User).where(models.User.login == login))
        if user is None or session.get(models.Account, user.id) is None:
            raise NotFound("account", login)
        return _add_reset(session, user_id=user.id, created_by=None, now=now)


def revoke_invitation(database: Database, *, actor: Actor, course: str, invitation_id: UUID) -> None:
    """Make a link of the course worthless."""
    with database.writing() as session:
        now = database.now(session)
        seat = seat_in(session, course=course, user_id=actor.user_id).require_instructor()
        row = session.get(models.Invitation, invitation_id)
        if row is None or row.course_id != seat.course_id or not usable(row, now):
            raise NotFound("invitation", str(invitation_id))
        row.revoked_at = now
        record(
            session,
            Action.INVITATION_REVOKED,
            subject=Subject.INVITATION,
            subject_id=row.id,
            at=now,
            actor_id=actor.user_id,
        )


def invitations_of(database: Database, *, actor: Actor, course: str) -> tuple[PendingInvitation, ...]:
    """The course's links that can still be used, the newest first. Instructors only."""
    maker = select(models.User.id, models.User.name).subquery()
    with database.reading() as session:
        now = database.now(session)
        seat = seat_in(session, course=course, user_id=actor.user_id).require_instructor()
        rows = session.execute(
            select(models.Invitation, models.User.name, maker.c.name)
            .outerjoin(models.User, models.User.id == models.Invitation.user_id)
            .outerjoin(maker, maker.c.id == models.Invitation.created_by)
            .where(models.Invitation.course_id == seat.course_id)
            .where(models.Invitation.used_at.is_(None), models.Invitation.revoked_at.is_(None))
            .where(models.Invitation.expires_at > now)
            .order_by(models.Invitation.created_at.desc(), models.Invitation.id)
        )
        return tuple(
            PendingInvitation(
                id=row.id,
                role=row.role or Role.STUDENT,
                person=person,
                made_by=made_by,
                created_at=row.created_at,
                expires_at=row.expires_at,
            )
            for row, person, made_by in rows
        )


def usable(row: models.Invitation, now: datetime) -> bool:
    """Whether a link still opens something."""
    return row.used_at is None and row.revoked_at is None and row.expires_at > now


def _require_may_vouch(session: Session, actor: Actor, *, user_id: UUID) -> None:
    """Whoever makes a link for a person could use it themselves, so it must open nothing new to them."""
    account = session.get(models.Account, user_id)
    founder = account is not None and account.may_create_courses and not actor.may_create_courses
    taught = set(
        session.scalars(
            select(models.Membership.course_id).where(
                models.Membership.user_id == actor.user_id, models.Membership.role == Role.INSTRUCTOR
            )
        )
    )
    theirs = session.scalars(_courses_at_stake(user_id, has_account=account is not None))
    if user_id != actor.user_id and (founder or not set(theirs) <= taught):
        raise NotAllowed(
            "this person is in courses that you do not teach, or may found some. Whoever runs the server can "
            "make the link: grader account reset NAME."
        )


def _courses_at_stake(user_id: UUID, *, has_account: bool) -> Select[UUID]:
    """The courses that somebody who logs in as this person gets into.

    A new password for an existing account opens a student's work elsewhere, too; who never logged in has only
    rights to lose.
    """
    query = select(models.Membership.course_id).where(models.Membership.user_id == user_id)
    return query if has_account else query.where(models.Membership.role != Role.STUDENT)


def _members_without_account(
    session: Session, seat: Seat, user_ids: Sequence[UUID]
) -> list[models.Membership]:
    query = (
        select(models.Membership)
        .outerjoin(models.Account, models.Account.user_id == models.Membership.user_id)
        .where(models.Membership.course_id == seat.course_id, models.Membership.user_id.in_(user_ids))
        .where(models.Account.user_id.is_(None))
        .order_by(models.Membership.user_id)
    )
    return list(session.scalars(query))


def end_links(session: Session, *, course_id: UUID | None, user_id: UUID, now: datetime) -> None:
    """Make a person's links into a course (None: to a password) worthless, in the caller's transaction."""
    query = select(models.Invitation).where(
        models.Invitation.user_id == user_id,
        models.Invitation.used_at.is_(None),
        models.Invitation.revoked_at.is_(None),
    )
    where = models.Invitation.course_id
    for row in session.scalars(query.where(where.is_(None) if course_id is None else where == course_id)):
        row.revoked_at = now


def _add(
    session: Session, seat: Seat, *, role: Role, user_id: UUID | None, days: int, now: datetime
) -> NewInvitation:
    row = models.Invitation(
        course_id=seat.course_id,
        role=role,
        user_id=user_id,
        created_by=seat.user_id,
        created_at=now,
        expires_at=now + timedelta(days=days),
    )
    return _stored(session, row)


def _add_reset(session: Session, *, user_id: UUID, created_by: UUID | None, now: datetime) -> NewInvitation:
    end_links(session, course_id=None, user_id=user_id, now=now)
    row = models.Invitation(
        user_id=user_id,
        created_by=created_by,
        created_at=now,
        expires_at=now + timedelta(days=RESET_DAYS),
    )
    return _stored(session, row)


def _stored(session: Session, row: models.Invitation) -> NewInvitation:
    secret = new_secret()
    row.token_hash = hash_of(secret)
    session.add(row)
    session.flush()
    record(
        session,
        Action.INVITATION_MADE,
        subject=Subject.INVITATION,
        subject_id=row.id,
        at=row.created_at,
        actor_id=row.created_by,
        data={
            "course": str(row.course_id) if row.course_id else None,
            "role": row.role.value if row.role else None,
            "person": str(row.user_id) if row.user_id else None,
        },
    )
    return NewInvitation(id=row.id, secret=secret, user_id=row.user_id, expires_at=row.expires_at)


def _require_days(days: int) -> None:
    if not 1 <= days <= MOST_DAYS:
        raise InvalidInput("days", f"{days} is out of range.", f"Choose 1 to {MOST_DAYS}.")
