"""Names that people log in with, and their addresses: what may be one, and that it is nobody else's."""

from __future__ import annotations

import re
import unicodedata
from uuid import UUID

from sqlalchemy import func, or_, select
from sqlalchemy.orm import Session

from grader.db import models
from grader.db.statements import take_turns
from grader.domain.errors import Conflict, InvalidInput
from grader.domain.text import has_hidden_characters, one_line

NAME_CHARACTERS = 120
_LOGIN = re.compile(r"[a-z0-9][a-z0-9._-]{0,63}")
_EMAIL = re.compile(r"[^\s@,;<>\"]{1,64}@[a-z0-9-]+(\.[a-z0-9-]+)+", re.IGNORECASE)
_LONGEST_EMAIL = 254


def clean_login(text: str) -> str:
    """A name to log in with, in lower case; InvalidInput where it cannot be one."""
    login = unicodedata.normalize("NFKC", text[:200]).strip().lower()
    if not _LOGIN.fullmatch(login):
        raise InvalidInput(
            "login",
            "it is not a name to log in with.",
            "Use up to 64 letters a to z, digits, dots, hyphens and underscores, a letter or digit first.",
        )
    return login


def clean_name(text: str) -> str:
    """A person's name, on one line."""
    name = unicodedata.normalize("NFC", text).strip()
    if not name:
        raise InvalidInput("name", "it is empty.", "Write the name that others know you by.")
    if len(name) > NAME_CHARACTERS or has_hidden_characters(name) or "\n" in name or "\t" in name:
        raise InvalidInput(
            "name", f"it is longer than {NAME_CHARACTERS} characters or has some that cannot be seen."
        )
    return one_line(name, NAME_CHARACTERS)


def clean_email(text: str | None) -> str | None:
    """An e-mail address as it was written, or None for none."""
    email = unicodedata.normalize("NFC", text or "").strip()
    if not email:
        return None
    if len(email) > _LONGEST_EMAIL or has_hidden_characters(email) or not _EMAIL.fullmatch(email):
        raise InvalidInput("email", "it is not an e-mail address.", "Write it as name@example.edu.")
    return email


def require_free(session: Session, *, login: str | None, email: str | None, besides: UUID | None) -> None:
    """Conflict where somebody else is known by that name or address, in whatever capitals.

    Either may be typed to log in, so no name may be another's address. Whoever adds a person waits here for
    the others who do.
    """
    take_turns(session, "names")
    for field, value in (("name", login), ("e-mail address", email)):
        if value is not None and any(user.id != besides for user in known_as(session, value)):
            raise Conflict(f"somebody else has the {field} {value!r} already. Choose another.")


def known_as(session: Session, text: str) -> list[models.User]:
    """Everybody whose name or address that is, in whatever capitals."""
    wanted = text.strip().lower()
    query = select(models.User).where(
        or_(func.lower(models.User.login) == wanted, func.lower(models.User.email) == wanted)
    )
    return list(session.scalars(query.limit(3)))


def person_known_as(session: Session, text: str) -> models.User | None:
    """The one person of that name or address; None where there is nobody, or nobody can tell who is meant."""
    found = known_as(session, text)
    exact = [user for user in found if user.login == text.strip()]
    candidates = exact or found
    return candidates[0] if len(candidates) == 1 else None
