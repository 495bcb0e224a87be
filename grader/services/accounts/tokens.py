"""Personal tokens, by which scripts and the command line speak for somebody."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime, timedelta
from uuid import UUID

from sqlalchemy import or_, select, update
from sqlalchemy.orm import Session

from grader.db import models
from grader.db.database import Database
from grader.domain.errors import InvalidInput, NotFound
from grader.domain.text import one_line
from grader.services.access import Actor
from grader.services.accounts.secrets import hash_of, new_secret
from grader.services.accounts.sessions import actor_of
from grader.services.auditing import Action, Subject, record

PREFIX = "jgt_"
"""Makes a token that was published by mistake easy to find, for people and for scanners."""

MOST_DAYS = 366
MOST_TOKENS = 50
NAME_CHARACTERS = 80
USED_EVERY = timedelta(minutes=5)
_HINT_CHARACTERS = 4


@dataclass(frozen=True, slots=True, kw_only=True)
class NewToken:
    """A token just made; `secret` is shown once and kept nowhere."""

    id: UUID
    secret: str
    expires_at: datetime


@dataclass(frozen=True, slots=True, kw_only=True)
class Token:
    """A token as its owner sees it in a list; `hint` is how the secret ends."""

    id: UUID
    name: str
    hint: str
    created_at: datetime
    expires_at: datetime | None
    last_used_at: datetime | None


def create_token(database: Database, *, actor: Actor, name: str, days: int) -> NewToken:
    """Make a token for the actor that lives for that many days."""
    label = one_line(name, NAME_CHARACTERS)
    if not label:
        raise InvalidInput("name", "it is empty.", "Say what the token is for, such as 'laptop'.")
    if not 1 <= days <= MOST_DAYS:
        raise InvalidInput("days", f"{days} is out of range.", f"Choose 1 to {MOST_DAYS}.")
    secret = PREFIX + new_secret()
    with database.writing() as session:
        now = database.now(session)
        if len(_alive(session, user_id=actor.user_id, now=now)) >= MOST_TOKENS:
            raise InvalidInput("name", f"you have {MOST_TOKENS} tokens already.", "Revoke one first.")
        row = models.ApiToken(
            token_hash=hash_of(secret),
            user_id=actor.user_id,
            name=label,
            hint=secret[-_HINT_CHARACTERS:],
            created_at=now,
            expires_at=now + timedelta(days=days),
        )
        session.add(row)
        session.flush()
        record(
            session,
            Action.TOKEN_CREATED,
            subject=Subject.ACCOUNT,
            subject_id=actor.user_id,
            at=now,
            actor_id=actor.user_id,
            data={"token": str(row.id), "name": label},
        )
        return NewToken(id=row.id, secret=secret, expires_at=now + timedelta(days=days))


def resume_token(database: Database, *, secret: str) -> Actor | None:
    """Whom a token speaks for; None where it has expired, was revoked, or the account may not come in."""
    if not secret.startswith(PREFIX):
        return None
    with database.reading() as session:
        now = database.now(session)
        row = session.execute(
            select(models.ApiToken, models.User, models.Account)
            .join(models.User, models.User.id == models.ApiToken.user_id)
            .join(models.Account, models.Account.user_id == models.User.id)
            .where(
                models.ApiToken.token_hash == hash_of(secret),
                models.ApiToken.revoked_at.is_(None),
                or_(models.ApiToken.expires_at.is_(None), models.ApiToken.expires_at > now),
                models.Account.disabled_at.is_(None),
            )
        ).one_or_none()
    if row is None:
        return None
    token, user, account = row
    if token.last_used_at is None or now - token.last_used_at >= USED_EVERY:
        _used(database, token.id)
    return actor_of(user, account)


def revoke_token(database: Database, *, actor: Actor, token_id: UUID) -> None:
    """Make one of the actor's tokens worthless."""
    with database.writing() as session:
        now = database.now(session)
        row = session.get(models.ApiToken, token_id)
        if row is None or row.user_id != actor.user_id or row.revoked_at is not None:
            raise NotFound("token", str(token_id))
        row.revoked_at = now
        record(
            session,
            Action.TOKEN_REVOKED,
            subject=Subject.ACCOUNT,
            subject_id=actor.user_id,
            at=now,
            actor_id=actor.user_id,
            data={"token": str(token_id)},
        )


def revoke_tokens_of(session: Session, *, user_id: UUID, now: datetime) -> None:
    """Make all of somebody's tokens worthless, in the caller's transaction."""
    session.execute(
        update(models.ApiToken)
        .where(models.ApiToken.user_id == user_id, models.ApiToken.revoked_at.is_(None))
        .values(revoked_at=now)
    )


def tokens_of(database: Database, *, actor: Actor) -> tuple[Token, ...]:
    """The actor's tokens that still work, the newest first."""
    with database.reading() as session:
        return tuple(
            Token(
                id=row.id,
                name=row.name,
                hint=row.hint,
                created_at=row.created_at,
                expires_at=row.expires_at,
                last_used_at=row.last_used_at,
            )
            for row in _alive(session, user_id=actor.user_id, now=database.now(session))
        )


def _alive(session: Session, *, user_id: UUID, now: datetime) -> list[models.ApiToken]:
    query = select(models.ApiToken).where(
        models.ApiToken.user_id == user_id,
        models.ApiToken.revoked_at.is_(None),
        or_(models.ApiToken.expires_at.is_(None), models.ApiToken.expires_at > now),
    )
    return list(session.scalars(query.order_by(models.ApiToken.created_at.desc(), models.ApiToken.id)))


def _used(database: Database, token_id: UUID) -> None:
    with database.writing() as session:
        row = session.get(models.ApiToken, token_id)
        if row is not None:
            row.last_used_at = database.now(session)
