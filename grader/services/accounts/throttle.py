"""Guessing is slowed down: so many failures for one account, and for one address, in a quarter of an hour.

A try is counted before the password is looked at and forgiven when it was right. Counted afterwards, a
thousand guesses sent at once would all find the count at zero. All processes count in the database.
"""

from __future__ import annotations

import ipaddress
from dataclasses import dataclass
from datetime import datetime, timedelta
from uuid import UUID, uuid4

from sqlalchemy import delete, select
from sqlalchemy.orm import Session

from grader.db import models
from grader.db.database import Database
from grader.db.statements import take_turns
from grader.domain.errors import TooManyRequests
from grader.services.accounts.secrets import hash_of

WINDOW = timedelta(minutes=15)
_IPV6_NETWORK = 64
"""Bits that a household or a lecture hall has in common; below that, addresses are free to change."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Limits:
    """Failures within `WINDOW`. A lecture hall shares an address, so that has more."""

    account: int = 10
    address: int = 50


@dataclass(frozen=True, slots=True, kw_only=True)
class Try:
    """A try that has been counted, by the account's key and the address's."""

    ids: tuple[UUID, UUID]
    account_key: str


def count_try(database: Database, *, account: str, address: str, limits: Limits | None = None) -> Try:
    """Count a try before it is made; TooManyRequests where there were too many, which is then not counted."""
    limits = limits or Limits()
    account_key = hash_of(f"account\0{account.strip().casefold()}")
    address_key = hash_of(f"address\0{network_of(address)}")
    with database.writing() as session:
        # In one order, so that two processes never wait for each other.
        for key in sorted((account_key, address_key)):
            take_turns(session, f"login {key}")
        now = database.now(session)
        session.execute(delete(models.LoginFailure).where(models.LoginFailure.at <= now - WINDOW))
        _require_room(session, account_key, limits.account, now=now)
        _require_room(session, address_key, limits.address, now=now)
        ids = (uuid4(), uuid4())
        session.add_all(
            models.LoginFailure(id=row, key=key, at=now)
            for row, key in zip(ids, (account_key, address_key), strict=True)
        )
        return Try(ids=ids, account_key=account_key)


def forgive(session: Session, tried: Try) -> None:
    """The try was right: it counts no more, nor does what went wrong with this account before."""
    session.execute(delete(models.LoginFailure).where(models.LoginFailure.id.in_(tried.ids)))
    session.execute(delete(models.LoginFailure).where(models.LoginFailure.key == tried.account_key))


def network_of(address: str) -> str:
    """What an address is counted as: itself, or its network where single addresses cost nothing.

    >>> network_of("192.0.2.7"), network_of("2001:db8:1:2:3:4:5:6")
    ('192.0.2.7', '2001:db8:1:2::/64')
    """
    try:
        parsed = ipaddress.ip_address(address)
    except ValueError:
        return address
    if isinstance(parsed, ipaddress.IPv4Address):
        return str(parsed)
    if parsed.ipv4_mapped is not None:
        return str(parsed.ipv4_mapped)
    return str(ipaddress.ip_network((parsed, _IPV6_NETWORK), strict=False))


def _require_room(session: Session, key: str, most: int, *, now: datetime) -> None:
    query = select(models.LoginFailure.at).where(models.LoginFailure.key == key)
    moments = sorted(session.scalars(query))
    if len(moments) < most:
        return
    free_at = moments[len(moments) - most] + WINDOW
    raise TooManyRequests(
        "There were too many tries with a wrong password.", retry_after_s=(free_at - now).total_seconds()
    )
