"""People and their accounts coming into being."""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import datetime
from uuid import UUID, uuid4

from sqlalchemy.orm import Session

from grader.db import models
from grader.services.accounts.names import clean_email, clean_login, clean_name, require_free
from grader.services.accounts.passwords import hash_password, require_good_password
from grader.services.auditing import Action, Subject, record


@dataclass(frozen=True, slots=True, kw_only=True)
class NewPerson:
    """What somebody types who is new here."""

    login: str
    name: str
    email: str | None
    password: str = field(repr=False)

    def checked(self) -> CheckedPerson:
        """The same, cleaned, the password hashed; InvalidInput names the field that cannot be used."""
        login, name, email = clean_login(self.login), clean_name(self.name), clean_email(self.email)
        require_good_password(self.password, login=login, name=name, email=email)
        return CheckedPerson(login=login, name=name, email=email, password_hash=hash_password(self.password))


@dataclass(frozen=True, slots=True, kw_only=True)
class CheckedPerson:
    """A new person whose details can be used."""

    login: str
    name: str
    email: str | None
    password_hash: str | None = field(repr=False)


def add_person(session: Session, person: CheckedPerson, *, now: datetime) -> models.User:
    """Add a person in the caller's transaction; Conflict where the name or the address is taken."""
    require_free(session, login=person.login, email=person.email, besides=None)
    user = models.User(id=uuid4(), login=person.login, name=person.name, email=person.email, created_at=now)
    session.add(user)
    session.flush()
    return user


def add_account(
    session: Session,
    *,
    user_id: UUID,
    password_hash: str | None,
    now: datetime,
    may_create_courses: bool = False,
) -> models.Account:
    """Give a person who has none a way in."""
    account = models.Account(
        user_id=user_id, password_hash=password_hash, may_create_courses=may_create_courses
    )
    session.add(account)
    session.flush()
    record(
        session,
        Action.ACCOUNT_CREATED,
        subject=Subject.ACCOUNT,
        subject_id=user_id,
        at=now,
        actor_id=user_id,
    )
    return account
