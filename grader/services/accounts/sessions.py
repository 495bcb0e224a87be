"""Sessions: somebody logged in with a browser, until they log out, stay away too long, or may not come in."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime, timedelta
from uuid import UUID

from sqlalchemy import delete, select
from sqlalchemy.orm import Session

from grader.db import models
from grader.db.database import Database
from grader.db.statements import changed_rows
from grader.domain.errors import NotFound
from grader.domain.text import one_line
from grader.services.access import Actor
from grader.services.accounts.secrets import hash_of, new_secret
from grader.services.websettings import WebSettings

SEEN_EVERY = timedelta(minutes=5)
"""How exact `last_seen_at` is: a write for every page would make readers wait for each other."""

_USER_AGENT_CHARACTERS = 300


@dataclass(frozen=True, slots=True, kw_only=True)
class LoggedIn:
    """Whose session it is, and which."""

    actor: Actor
    session_id: UUID


@dataclass(frozen=True, slots=True, kw_only=True)
class OpenSession:
    """A session as its owner sees it in a list."""

    id: UUID
    created_at: datetime
    last_seen_at: datetime
    user_agent: str


def start_session(
    session: Session, *, user_id: UUID, user_agent: str, settings: WebSettings, now: datetime
) -> str:
    """Open a session in the caller's transaction; its token is returned and kept nowhere."""
    token = new_secret()
    session.execute(delete(models.LoginSession).where(models.LoginSession.expires_at <= now))
    session.add(
        models.LoginSession(
            token_hash=hash_of(token),
            user_id=user_id,
            created_at=now,
            last_seen_at=now,
            expires_at=now + settings.session_longest,
            user_agent=one_line(user_agent, _USER_AGENT_CHARACTERS),
        )
    )
    return token


def resume_session(database: Database, *, token: str, settings: WebSettings) -> LoggedIn | None:
    """Whose session a cookie stands for; None where it has ended, or the account may not come in any more."""
    with database.reading() as session:
        now = database.now(session)
        row = session.execute(
            select(models.LoginSession, models.User, models.Account)
            .join(models.User, models.User.id == models.LoginSession.user_id)
            .join(models.Account, models.Account.user_id == models.User.id)
            .where(
                models.LoginSession.token_hash == hash_of(token),
                models.LoginSession.expires_at > now,
                models.LoginSession.last_seen_at > now - settings.session_idle,
                models.Account.disabled_at.is_(None),
            )
        ).one_or_none()
    if row is None:
        return None
    login, user, account = row
    if now - login.last_seen_at >= min(SEEN_EVERY, settings.session_idle / 2):
        _seen(database, login.id)
    return LoggedIn(actor=actor_of(user, account), session_id=login.id)


def end_session(database: Database, *, token: str) -> None:
    """Log out: the cookie is worth nothing from now on."""
    with database.writing() as session:
        session.execute(delete(models.LoginSession).where(models.LoginSession.token_hash == hash_of(token)))


def end_own_session(database: Database, *, actor: Actor, session_id: UUID) -> None:
    """End one of the actor's sessions, on another machine for instance."""
    with database.writing() as session:
        ended = session.execute(
            delete(models.LoginSession).where(
                models.LoginSession.id == session_id, models.LoginSession.user_id == actor.user_id
            )
        )
        if not changed_rows(ended):
            raise NotFound("session", str(session_id))


def end_sessions_of(session: Session, *, user_id: UUID, except_for: UUID | None = None) -> None:
    """End somebody's sessions in the caller's transaction, all or all but one."""
    query = delete(models.LoginSession).where(models.LoginSession.user_id == user_id)
    if except_for is not None:
        query = query.where(models.LoginSession.id != except_for)
    session.execute(query)


def open_sessions(database: Database, *, actor: Actor, settings: WebSettings) -> tuple[OpenSession, ...]:
    """The actor's sessions, the one used last first."""
    with database.reading() as session:
        now = database.now(session)
        rows = session.scalars(
            select(models.LoginSession)
            .where(
                models.LoginSession.user_id == actor.user_id,
                models.LoginSession.expires_at > now,
                models.LoginSession.last_seen_at > now - settings.session_idle,
            )
            .order_by(models.LoginSession.last_seen_at.desc(), models.LoginSession.id)
        )
        return tuple(
            OpenSession(
                id=row.id,
                created_at=row.created_at,
                last_seen_at=row.last_seen_at,
                user_agent=row.user_agent,
            )
            for row in rows
        )


def actor_of(user: models.User, account: models.Account) -> Actor:
    """The person as services know them."""
    return Actor(
        user_id=user.id,
        login=user.login,
        name=user.name,
        timezone=account.timezone,
        may_create_courses=account.may_create_courses,
    )


def _seen(database: Database, session_id: UUID) -> None:
    with database.writing() as session:
        row = session.get(models.LoginSession, session_id)
        if row is not None:
            row.last_seen_at = max(row.last_seen_at, database.now(session))
