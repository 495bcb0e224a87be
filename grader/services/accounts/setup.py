"""The first account: made once, by whoever can read the terminal that the server was started from."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from uuid import UUID

from sqlalchemy import exists, select
from sqlalchemy.orm import Session

from grader.db import models
from grader.db.database import Database
from grader.db.statements import insert_if_absent, take_turns
from grader.domain.errors import Conflict, InvalidInput
from grader.domain.people import Role
from grader.services.accounts.guessing import from_set_up
from grader.services.accounts.members import NewPerson, add_account, add_person
from grader.services.accounts.names import person_known_as, require_free
from grader.services.accounts.secrets import Purpose, derived, equal
from grader.services.accounts.throttle import count_try

_ALPHABET = "23456789abcdefghjkmnpqrstuvwxyz"
"""Without characters that are taken for each other."""

_GROUPS, _GROUP = 4, 4


@dataclass(frozen=True, slots=True, kw_only=True)
class SetUp:
    """What the first person types."""

    code: str
    person: NewPerson
    address: str


def setup_needed(database: Database) -> bool:
    """Whether there is no account yet."""
    with database.reading() as session:
        return not _any_account(session)


def setup_code(secret: bytes) -> str:
    """The code that the terminal shows; the same in every process of this server.

    >>> setup_code(b"a secret of at least 32 characters")
    '5ray-2tdg-3rss-be87'
    """
    digest = hashlib.sha256(derived(secret, Purpose.SETUP).encode("ascii")).digest()
    number = int.from_bytes(digest, "big")
    letters = []
    for _ in range(_GROUPS * _GROUP):
        number, position = divmod(number, len(_ALPHABET))
        letters.append(_ALPHABET[position])
    return "-".join("".join(letters[at : at + _GROUP]) for at in range(0, len(letters), _GROUP))


def set_up(database: Database, given: SetUp, *, secret: bytes) -> UUID:
    """Make the first account. It may create courses, and teaches those that have no instructor yet.

    Conflict where there is an account already; InvalidInput for a wrong code or unusable details.
    """
    if not setup_needed(database):
        raise _done()
    count_try(database, from_set_up(given.address))
    if not equal("".join(given.code.split()).lower(), setup_code(secret)):
        raise InvalidInput(
            "code", "it is not the code that the server's terminal shows.", "Copy it from there."
        )
    ready = given.person.checked()
    with database.writing() as session:
        take_turns(session, "first account")
        if _any_account(session):
            raise _done()
        now = database.now(session)
        # The command line may have handed in for that name already.
        user = person_known_as(session, ready.login) or add_person(session, ready, now=now)
        require_free(session, login=None, email=ready.email, besides=user.id)
        user.name, user.email = ready.name, ready.email or user.email
        add_account(
            session, user_id=user.id, password_hash=ready.password_hash, may_create_courses=True, now=now
        )
        for course_id in _courses_without_instructor(session):
            key = {"course_id": course_id, "user_id": user.id}
            insert_if_absent(
                session, models.Membership, [{**key, "role": Role.INSTRUCTOR, "created_at": now}]
            )
            session.get_one(models.Membership, (course_id, user.id)).role = Role.INSTRUCTOR
        return user.id


def _courses_without_instructor(session: Session) -> list[UUID]:
    taught = exists().where(
        models.Membership.course_id == models.Course.id, models.Membership.role == Role.INSTRUCTOR
    )
    return list(session.scalars(select(models.Course.id).where(~taught)))


def _any_account(session: Session) -> bool:
    return session.scalar(select(models.Account.user_id).limit(1)) is not None


def _done() -> Conflict:
    return Conflict("this server has been set up already. Log in, or ask its instructor for a link.")
