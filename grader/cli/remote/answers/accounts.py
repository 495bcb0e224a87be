"""Who somebody is, and what opens doors."""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import datetime


@dataclass(frozen=True, slots=True, kw_only=True)
class Me:
    """Whose token it is."""

    login: str
    name: str
    email: str | None
    timezone: str | None


@dataclass(frozen=True, slots=True, kw_only=True)
class NewToken:
    """A token just made."""

    id: str
    secret: str = field(repr=False)
    expires_at: datetime


@dataclass(frozen=True, slots=True, kw_only=True)
class Token:
    """A token; `hint` is how its secret ends."""

    id: str
    hint: str
    expires_at: datetime | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Invitation:
    """A link just made; `user_id` says for whom, if for somebody."""

    link: str
    user_id: str | None
    expires_at: datetime
