"""Browsers that have logged in before, known again by a cookie: other people's failures do not hold them up.

The cookie holds a mark for each account that has logged in there, the newest first: 16 random characters, and
what only the server can make of them for that account and its password of the time. It lets nobody in and
tells no names. A new password makes the marks from before it worthless.
"""

from __future__ import annotations

import secrets
from datetime import timedelta

from sqlalchemy import select

from grader.db import models
from grader.db.database import Database
from grader.services.accounts.secrets import Purpose, derived, equal, hash_of

LIFE = timedelta(days=365)
MOST_MARKS = 5
"""Accounts that one browser is known by: enough for a household; in a computer room the last ones stay."""

_NONCE_BYTES = 12
_NONCE_CHARACTERS = 16
_MARK_CHARACTERS = _NONCE_CHARACTERS + 43
_BETWEEN = "."


def known_mark(cookie: str, account: models.Account, *, secret: bytes) -> str | None:
    """The mark by which this account knows the browser; None where it does not."""
    for nonce, signature in _marks(cookie):
        if equal(signature, _signature(nonce, account, secret)):
            return nonce
    return None


def remember_device(database: Database, *, session_token: str, cookie: str, secret: bytes) -> str | None:
    """What a browser gets with its new session; None where the account has no password to guess."""
    with database.reading() as session:
        account = session.scalar(
            select(models.Account)
            .join(models.LoginSession, models.LoginSession.user_id == models.Account.user_id)
            .where(models.LoginSession.token_hash == hash_of(session_token))
        )
    if account is None or account.password_hash is None:
        return None
    fresh = secrets.token_urlsafe(_NONCE_BYTES)
    others = [
        nonce + signature
        for nonce, signature in _marks(cookie)
        if not equal(signature, _signature(nonce, account, secret))
    ]
    return _BETWEEN.join([fresh + _signature(fresh, account, secret), *others[: MOST_MARKS - 1]])


def _marks(cookie: str) -> list[tuple[str, str]]:
    """The marks in a cookie, unverified, each its random part and its signature."""
    parts = cookie.split(_BETWEEN, MOST_MARKS)[:MOST_MARKS]
    return [
        (part[:_NONCE_CHARACTERS], part[_NONCE_CHARACTERS:])
        for part in parts
        if len(part) == _MARK_CHARACTERS
    ]


def _signature(nonce: str, account: models.Account, secret: bytes) -> str:
    text = "\0".join((nonce, str(account.user_id), account.password_hash or ""))
    return derived(secret, Purpose.DEVICE, text)
