"""Who somebody is that a provider vouches for, and whether they may come in."""

from __future__ import annotations

import re
import unicodedata
from datetime import datetime
from uuid import UUID

from sqlalchemy import func, select
from sqlalchemy.orm import Session

from grader.db import models
from grader.db.database import Database
from grader.db.statements import take_turns
from grader.domain.errors import InvalidInput, NotAllowed
from grader.services.accounts.members import CheckedPerson, add_account, add_person
from grader.services.accounts.names import NAME_CHARACTERS, clean_email, clean_name, known_as
from grader.services.accounts.oidc import Vouched
from grader.services.accounts.sessions import end_sessions_of, start_session
from grader.services.accounts.tokens import revoke_tokens_of
from grader.services.auditing import Action, Subject, record
from grader.services.websettings import OidcSettings, WebSettings

_UNFIT = re.compile(r"[^a-z0-9._-]+")
_LONGEST_LOGIN = 50


def log_in_vouched(
    database: Database, vouched: Vouched, *, user_agent: str, oidc: OidcSettings, settings: WebSettings
) -> str:
    """Open a session for the person vouched for and return its token; NotAllowed where they may not come in.

    Known is who has come this way before. Else the verified address decides; whoever is known by it gets this
    identity. Else a new account is made, if the settings allow that.
    """
    _require_domain(vouched, oidc)
    with database.writing() as session:
        take_turns(session, f"identity {vouched.issuer} {vouched.subject}")
        now = database.now(session)
        user_id = _known(session, vouched) or _linked(session, vouched, oidc=oidc, now=now)
        if session.get_one(models.Account, user_id).disabled_at is not None:
            raise NotAllowed("this account is closed. Ask your instructor.")
        return start_session(session, user_id=user_id, user_agent=user_agent, settings=settings, now=now)


def _require_domain(vouched: Vouched, oidc: OidcSettings) -> None:
    if not oidc.domains:
        return
    domain = (vouched.email or "").rpartition("@")[2].lower()
    if domain not in oidc.domains:
        raise NotAllowed(
            "your address is not one of those that may log in here, or your provider has not verified it."
        )


def _known(session: Session, vouched: Vouched) -> UUID | None:
    identity = session.get(models.Identity, (vouched.issuer, vouched.subject))
    return None if identity is None else identity.user_id


def _linked(session: Session, vouched: Vouched, *, oidc: OidcSettings, now: datetime) -> UUID:
    """Give the identity to the person of that address, else to a new one."""
    user = _person_of(session, vouched)
    if user is None and not oidc.new_people:
        raise NotAllowed(
            "no course knows your address yet. Ask your instructor to put it on the course's roster, or to "
            "send you a link."
        )
    user_id = _made(session, vouched, now=now) if user is None else user.id
    if user is not None:
        _take_over(session, user_id, now=now)
    session.add(
        models.Identity(issuer=vouched.issuer, subject=vouched.subject, user_id=user_id, created_at=now)
    )
    record(
        session,
        Action.IDENTITY_LINKED,
        subject=Subject.ACCOUNT,
        subject_id=user_id,
        at=now,
        actor_id=user_id,
        data={"issuer": vouched.issuer},
    )
    return user_id


def _person_of(session: Session, vouched: Vouched) -> models.User | None:
    if vouched.email is None:
        return None
    wanted = vouched.email.lower()
    found = list(session.scalars(select(models.User).where(func.lower(models.User.email) == wanted).limit(2)))
    if len(found) > 1:
        raise NotAllowed("several people have your address here. Ask your instructor to mend that.")
    return found[0] if found else None


def _take_over(session: Session, user_id: UUID, *, now: datetime) -> None:
    """The address's owner has come: whoever typed it into an account before, unverified, is shut out."""
    account = session.get(models.Account, user_id)
    if account is None:
        add_account(session, user_id=user_id, password_hash=None, now=now)
        return
    account.password_hash = None
    end_sessions_of(session, user_id=user_id)
    revoke_tokens_of(session, user_id=user_id, now=now)


def _made(session: Session, vouched: Vouched, *, now: datetime) -> UUID:
    person = CheckedPerson(
        login=_free_login(session, vouched),
        name=_name(vouched),
        email=clean_email(vouched.email) if vouched.email else None,
        password_hash=None,
    )
    user = add_person(session, person, now=now)
    add_account(session, user_id=user.id, password_hash=None, now=now)
    return user.id


def _name(vouched: Vouched) -> str:
    for text in (vouched.name, vouched.username, (vouched.email or "").partition("@")[0]):
        try:
            return clean_name((text or "")[:NAME_CHARACTERS])
        except InvalidInput:
            continue
    return "Somebody"


def _free_login(session: Session, vouched: Vouched) -> str:
    """The provider's name for the person, or one like it that nobody has."""
    take_turns(session, "names")
    wanted = vouched.username or vouched.email or "person"
    plain = unicodedata.normalize("NFKD", wanted.partition("@")[0]).lower()
    base = _UNFIT.sub("", plain)[:_LONGEST_LOGIN].strip("._-") or "person"
    login, number = base, 1
    while known_as(session, login):
        number += 1
        login = f"{base}{number}"
    return login
