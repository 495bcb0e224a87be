"""Using an invitation: as somebody new, as a member who gets a password, or as who is logged in."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum
from uuid import UUID

from sqlalchemy import select
from sqlalchemy.orm import Session

from grader.db import models
from grader.db.database import Database
from grader.db.statements import insert_if_absent
from grader.domain.errors import Conflict, LinkUnusable
from grader.domain.people import Role
from grader.services.access import Actor
from grader.services.accounts.invitations import usable
from grader.services.accounts.members import NewPerson, add_account, add_person
from grader.services.accounts.passwords import hash_password, require_good_password
from grader.services.accounts.profile import set_password
from grader.services.accounts.secrets import hash_of
from grader.services.accounts.sessions import end_sessions_of
from grader.services.accounts.tokens import revoke_tokens_of
from grader.services.auditing import Action, Subject, record


class LinkKind(StrEnum):
    """What a link asks of who opens it."""

    NEW_PERSON = "new person"
    """Name, address and password; or joining as who is logged in."""

    FIRST_PASSWORD = "first password"  # noqa: S105 - a kind of link
    """A member known to the course who has never logged in sets a password."""

    NEW_PASSWORD = "new password"  # noqa: S105 - a kind of link
    """Somebody who has lost theirs sets another."""


@dataclass(frozen=True, slots=True, kw_only=True)
class OpenLink:
    """A link that can be used: into which course, with which role, and for whom, where that is settled."""

    kind: LinkKind
    course_slug: str | None
    course_title: str | None
    role: Role | None
    login: str | None
    name: str | None
    expires_at: datetime
    timezone: str | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Joined:
    """Who has come in, and into which course; None where only a password was set."""

    user_id: UUID
    course_slug: str | None


def open_link(database: Database, *, secret: str) -> OpenLink:
    """What a link is for; LinkUnusable where it cannot be used (any more). Changes nothing."""
    with database.reading() as session:
        row = _row(session, secret, now=database.now(session))
        course = session.get(models.Course, row.course_id) if row.course_id else None
        user = session.get(models.User, row.user_id) if row.user_id else None
        return OpenLink(
            kind=_kind(row),
            course_slug=course.slug if course else None,
            course_title=course.title if course else None,
            role=row.role,
            login=user.login if user else None,
            name=user.name if user else None,
            expires_at=row.expires_at,
            timezone=course.timezone if course else None,
        )


def join_as_new(database: Database, person: NewPerson, *, secret: str) -> Joined:
    """Make an account and join with it. InvalidInput and Conflict leave the link as it was."""
    open_link(database, secret=secret)  # hashing is slow, and only for who has a link
    ready = person.checked()
    with database.writing() as session:
        now = database.now(session)
        row = _row(session, secret, now=now)
        if row.user_id is not None:
            raise Conflict("this link is for somebody who is known already; it only asks for a password.")
        user = add_person(session, ready, now=now)
        add_account(session, user_id=user.id, password_hash=ready.password_hash, now=now)
        return _used(session, row, user_id=user.id, now=now)


def join_with_password(database: Database, *, secret: str, password: str) -> Joined:
    """Set the password of the person that the link is for, and join with it if it leads into a course.

    Whoever was logged in as them is logged out, and their tokens end: a lost password may be a stolen one.
    """
    link = open_link(database, secret=secret)
    if link.login is None:
        raise Conflict("this link is for somebody new; it asks for a name too.")
    require_good_password(password, login=link.login, name=link.name or "")
    hashed = hash_password(password)
    with database.writing() as session:
        now = database.now(session)
        row = _row(session, secret, now=now)
        if row.user_id is None:
            raise LinkUnusable
        account = session.get(models.Account, row.user_id)
        if account is None:
            add_account(session, user_id=row.user_id, password_hash=hashed, now=now)
        elif row.course_id is not None:
            # It was made for somebody without a way in; by now they have one, which it must not take over.
            raise Conflict("you have a password already: log in with it, and open this link again.")
        else:
            set_password(session, user_id=row.user_id, password_hash=hashed)
            end_sessions_of(session, user_id=row.user_id)
            revoke_tokens_of(session, user_id=row.user_id, now=now)
            record(
                session,
                Action.PASSWORD_SET,
                subject=Subject.ACCOUNT,
                subject_id=row.user_id,
                at=now,
                actor_id=row.user_id,
            )
        return _used(session, row, user_id=row.user_id, now=now)


def join_as(database: Database, *, actor: Actor, secret: str) -> Joined:
    """Join as who is logged in; a link for one person works for that person alone."""
    with database.writing() as session:
        now = database.now(session)
        row = _row(session, secret, now=now)
        if row.course_id is None or row.user_id not in (None, actor.user_id):
            raise Conflict("this link is for somebody else. Log out, and open it again.")
        return _used(session, row, user_id=actor.user_id, now=now)


def _kind(row: models.Invitation) -> LinkKind:
    if row.course_id is None:
        return LinkKind.NEW_PASSWORD
    return LinkKind.NEW_PERSON if row.user_id is None else LinkKind.FIRST_PASSWORD


def _row(session: Session, secret: str, *, now: datetime) -> models.Invitation:
    """The link's row, locked until the transaction ends: two presses use it once."""
    row = session.scalar(
        select(models.Invitation)
        .where(models.Invitation.token_hash == hash_of(secret))
        .with_for_update(of=models.Invitation)
    )
    if row is None or not usable(row, now):
        raise LinkUnusable
    return row


def _used(session: Session, row: models.Invitation, *, user_id: UUID, now: datetime) -> Joined:
    row.used_at, row.used_by = now, user_id
    if row.course_id is not None and row.role is not None:
        _enrol(session, course_id=row.course_id, user_id=user_id, role=row.role, now=now)
    record(
        session,
        Action.INVITATION_USED,
        subject=Subject.INVITATION,
        subject_id=row.id,
        at=now,
        actor_id=user_id,
    )
    course = session.get(models.Course, row.course_id) if row.course_id else None
    return Joined(user_id=user_id, course_slug=course.slug if course else None)


def _enrol(session: Session, *, course_id: UUID, user_id: UUID, role: Role, now: datetime) -> None:
    """Make a member; who is one already keeps their role, for a student's link must not demote a TA."""
    key = {"course_id": course_id, "user_id": user_id}
    if insert_if_absent(session, models.Membership, [{**key, "role": role, "created_at": now}]):
        record(
            session,
            Action.MEMBER_ENROLLED,
            subject=Subject.COURSE,
            subject_id=course_id,
            at=now,
            actor_id=user_id,
            data={"user": str(user_id), "role": role.value},
        )
