"""Logging in with a name and a password."""

from __future__ import annotations

from dataclasses import dataclass
from uuid import UUID

from sqlalchemy.orm import Session

from grader.db import models
from grader.db.database import Database
from grader.domain.errors import NotLoggedIn
from grader.services.accounts.devices import known_mark
from grader.services.accounts.guessing import LIMITS, Limits, from_device, from_inside, from_stranger
from grader.services.accounts.names import person_known_as
from grader.services.accounts.passwords import LONGEST, hash_password, needs_rehash, verify_password
from grader.services.accounts.sessions import start_session
from grader.services.accounts.throttle import Try, count_try, forgive
from grader.services.websettings import WebSettings

_LONGEST_NAME = 254
_ADVICE = (
    "They may have been somebody else's, under this name or from this network. A browser in which you have "
    "logged in before is not held up by others; your instructor can make you a link."
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Credentials:
    """What somebody typed, and from where; `device` is the cookie by which their browser may be known."""

    name: str
    password: str
    address: str
    user_agent: str = ""
    device: str = ""


def log_in(
    database: Database,
    given: Credentials,
    *,
    settings: WebSettings,
    secret: bytes,
    limits: Limits = LIMITS,
) -> str:
    """Open a session and return its token; NotLoggedIn, in the same words and time, whatever was wrong.

    TooManyRequests where there were too many failures under this name or from this network.
    """
    name = given.name[:_LONGEST_NAME]
    with database.reading() as session:
        account = _account_known_as(session, name)
    tried = _counted(database, name, account, given, secret=secret, limits=limits)
    stored = None if account is None else account.password_hash
    right = verify_password(given.password, stored)
    if account is None or stored is None or not right or tried.refused:
        raise wrong_name_or_password()
    fresh = hash_password(given.password) if needs_rehash(stored) else stored
    with database.writing() as session:
        current = session.get_one(models.Account, account.user_id, with_for_update=True)
        # Meanwhile the password may have been changed, or the account closed.
        if current.disabled_at is not None or current.password_hash != stored:
            raise wrong_name_or_password()
        current.password_hash = fresh
        forgive(session, tried)
        return start_session(
            session,
            user_id=account.user_id,
            user_agent=given.user_agent,
            settings=settings,
            now=database.now(session),
        )


def wrong_name_or_password() -> NotLoggedIn:
    """The one answer to every log-in that fails: it tells nobody which accounts there are."""
    return NotLoggedIn(
        "this name and password do not belong together. After several tries, also somebody else's, log-in "
        "pauses for some minutes; your instructor can make you a link for a new password."
    )


def require_password(database: Database, *, user_id: UUID, password: str) -> None:
    """Somebody logged in shows again that it is them; as slow to guess as logging in.

    Only who is logged in counts here, so that nobody outside can keep the owner from a new password.
    """
    if len(password) > 2 * LONGEST:
        raise wrong_name_or_password()
    with database.reading() as session:
        account = session.get_one(models.Account, user_id)
    tried = count_try(database, from_inside(user_id))
    if not verify_password(password, account.password_hash):
        raise wrong_name_or_password()
    with database.writing() as session:
        forgive(session, tried)


def _counted(
    database: Database,
    name: str,
    account: models.Account | None,
    given: Credentials,
    *,
    secret: bytes,
    limits: Limits,
) -> Try:
    """Count this try: for the browser alone where the account knows it."""
    mark = None if account is None else known_mark(given.device, account, secret=secret)
    if account is not None and mark is not None:
        return count_try(database, from_device(account.user_id, mark, limits=limits))
    account_id = None if account is None else account.user_id
    buckets = from_stranger(name, account_id, address=given.address, limits=limits)
    return count_try(database, buckets, advice=_ADVICE)


def _account_known_as(session: Session, name: str) -> models.Account | None:
    user = person_known_as(session, name)
    account = None if user is None else session.get(models.Account, user.id)
    return None if account is None or account.disabled_at is not None else account
