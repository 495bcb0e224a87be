"""Passwords: what may be one, and how one is kept. Nobody is told which characters to put in."""

from __future__ import annotations

import unicodedata
from functools import cache

from argon2 import PasswordHasher
from argon2.exceptions import Argon2Error, InvalidHashError

from grader.domain.errors import InvalidInput

SHORTEST = 10
LONGEST = 1024
_FEWEST_CHARACTERS = 4
"""Different ones: "aaaaaaaaaa" is long enough and no secret."""

# OWASP's second choice for Argon2id: 46 MiB would let a few logins at a time fill a small machine.
_hasher = PasswordHasher(time_cost=3, memory_cost=12 * 1024, parallelism=1)


def hash_password(password: str) -> str:
    """Argon2's own text for a password, with its salt and parameters."""
    return _hasher.hash(_canonical(password))


def verify_password(password: str, stored: str | None) -> bool:
    """Whether the password is the stored one.

    Without one (nobody of that name, or single sign-on alone) the same work is done for nothing: how long an
    answer takes tells nobody which accounts exist.
    """
    canonical = _canonical(password)
    if len(canonical) > LONGEST:
        canonical = ""
    try:
        _hasher.verify(stored or _nobodys(), canonical)
    except (Argon2Error, InvalidHashError):
        return False
    return stored is not None


def needs_rehash(stored: str) -> bool:
    """Whether a stored hash was made with other parameters than today's."""
    return _hasher.check_needs_rehash(stored)


def require_good_password(password: str, *, login: str, name: str = "", email: str | None = None) -> None:
    """InvalidInput where a password is too short, too long, or the person's own name."""
    canonical = _canonical(password)
    if len(canonical) < SHORTEST:
        raise InvalidInput(
            "password",
            f"it has {len(canonical)} characters; at least {SHORTEST} are needed.",
            "A few words that belong together only for you make a good one.",
        )
    if len(canonical) > LONGEST:
        raise InvalidInput("password", f"it has more than {LONGEST:,} characters.", "Choose a shorter one.")
    if len(set(canonical)) < _FEWEST_CHARACTERS:
        raise InvalidInput("password", "it repeats the same few characters.", "Choose another.")
    if canonical.casefold() in _guessable(login, name, email):
        raise InvalidInput("password", "it is your name or address.", "Choose another.")


def _guessable(login: str, name: str, email: str | None) -> set[str]:
    words = [login, name, name.replace(" ", ""), email or "", (email or "").partition("@")[0]]
    return {_canonical(word).casefold() for word in words if word}


def _canonical(password: str) -> str:
    """The same password typed on another keyboard is the same text (NFKC, as RFC 8265 has it, nearly)."""
    text = unicodedata.normalize("NFKC", password[: LONGEST * 2])
    return text.encode("utf-8", "backslashreplace").decode("utf-8")


@cache
def _nobodys() -> str:
    return _hasher.hash("nobody's password")
