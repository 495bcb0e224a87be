"""What people change about themselves."""

from __future__ import annotations

from dataclasses import dataclass
from uuid import UUID
from zoneinfo import ZoneInfo

from sqlalchemy import update
from sqlalchemy.orm import Session

from grader.db import models
from grader.db.database import Database
from grader.domain.errors import InvalidInput
from grader.domain.zones import zone_names
from grader.services.access import Actor
from grader.services.accounts.logging_in import require_password
from grader.services.accounts.names import clean_email, clean_name, require_free
from grader.services.accounts.passwords import hash_password, require_good_password
from grader.services.accounts.sessions import end_sessions_of
from grader.services.auditing import Action, Subject, record


@dataclass(frozen=True, slots=True, kw_only=True)
class Profile:
    """A person's own details. `has_password` is False where only single sign-on lets them in."""

    login: str
    name: str
    email: str | None
    timezone: str | None
    has_password: bool


def profile_of(database: Database, *, actor: Actor) -> Profile:
    """The actor's own details."""
    with database.reading() as session:
        user = session.get_one(models.User, actor.user_id)
        account = session.get_one(models.Account, actor.user_id)
        return Profile(
            login=user.login,
            name=user.name,
            email=user.email,
            timezone=account.timezone,
            has_password=account.password_hash is not None,
        )


def change_profile(
    database: Database, *, actor: Actor, name: str, email: str | None, timezone: str | None
) -> None:
    """Change how the actor is called, reached, and shown the time. No zone: each course's own."""
    name, email, zone = clean_name(name), clean_email(email), clean_zone(timezone)
    with database.writing() as session:
        require_free(session, login=None, email=email, besides=actor.user_id)
        user = session.get_one(models.User, actor.user_id)
        account = session.get_one(models.Account, actor.user_id)
        changed = [
            field
            for field, old, new in (
                ("name", user.name, name),
                ("email", user.email, email),
                ("timezone", account.timezone, zone),
            )
            if old != new
        ]
        user.name, user.email, account.timezone = name, email, zone
        if changed:
            record(
                session,
                Action.ACCOUNT_CHANGED,
                subject=Subject.ACCOUNT,
                subject_id=actor.user_id,
                at=database.now(session),
                actor_id=actor.user_id,
                data={"changed": list(changed)},
            )


@dataclass(frozen=True, slots=True, kw_only=True)
class PasswordChange:
    """What somebody types to change their password; `current` is not asked for where there is none."""

    current: str
    new: str


def change_password(
    database: Database, change: PasswordChange, *, actor: Actor, session_id: UUID | None
) -> None:
    """Set the actor's password and end their other sessions; `session_id` is the one that stays."""
    known = profile_of(database, actor=actor)
    if known.has_password:
        require_password(database, user_id=actor.user_id, password=change.current)
    require_good_password(change.new, login=known.login, name=known.name, email=known.email)
    hashed = hash_password(change.new)
    with database.writing() as session:
        set_password(session, user_id=actor.user_id, password_hash=hashed)
        end_sessions_of(session, user_id=actor.user_id, except_for=session_id)
        record(
            session,
            Action.PASSWORD_SET,
            subject=Subject.ACCOUNT,
            subject_id=actor.user_id,
            at=database.now(session),
            actor_id=actor.user_id,
        )


def set_password(session: Session, *, user_id: UUID, password_hash: str) -> None:
    """Store a new hash in the caller's transaction."""
    session.execute(
        update(models.Account).where(models.Account.user_id == user_id).values(password_hash=password_hash)
    )


def clean_zone(text: str | None) -> str | None:
    """An IANA name that this machine knows, or None for none."""
    name = (text or "").strip()
    if not name:
        return None
    if name not in zone_names():
        raise InvalidInput(
            "timezone", "it is no time zone.", "Use a name such as Europe/Zurich or America/New_York."
        )
    return ZoneInfo(name).key
