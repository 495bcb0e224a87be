"""What a wrong password counts for: nobody may guess on, and nobody may keep the owner out by guessing wrong.

A lock on an account is a weapon for whoever knows its name. So, as OWASP describes device cookies
(https://owasp.org/www-community/Slow_Down_Online_Guessing_Attacks_with_Device_Cookies):

- A browser that has logged in to an account before has a bucket of its own there, and no other holds it up.
- Every other try counts for the account from its network, which stops; for the account from anywhere, which
  only slows down; and for its network with all accounts, which stops: one password is not tried on everybody.

An account has two names, login and address. Tries count for the name as typed, which is told, and for the
account behind it, which is not: were that told, five tries under each of two names would show that they are
one account's. A name that nobody has is counted just so.
"""

from __future__ import annotations

import ipaddress
from dataclasses import dataclass
from datetime import timedelta
from uuid import UUID

from grader.services.accounts.throttle import Bucket

_IPV6_NETWORK = 64
"""Bits that a household or a lecture hall has in common; below that, addresses are free to change."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Limits:
    """Failures within a quarter of an hour. A lecture hall shares an address, so that has more.

    `source` is for one account from one network or browser, `account` for one account from all networks,
    after which one try is let through every `account_pause`; `address` is for one network and all accounts.
    """

    source: int = 10
    account: int = 20
    account_pause: timedelta = timedelta(seconds=30)
    address: int = 50


LIMITS = Limits()


def from_device(account_id: UUID, mark: str, *, limits: Limits = LIMITS) -> tuple[Bucket, ...]:
    """What a try counts for in a browser that this account knows by that mark."""
    return (Bucket(name=("device", str(account_id), mark), most=limits.source, own=True),)


def from_stranger(
    name: str, account_id: UUID | None, *, address: str, limits: Limits = LIMITS
) -> tuple[Bucket, ...]:
    """What any other try counts for; `account_id` is None where nobody has the name."""
    network = network_of(address)
    typed = name.strip().casefold()
    account = f"nobody {typed}" if account_id is None else str(account_id)
    return (
        *_subject(("name", typed), network, quiet=False, limits=limits),
        *_subject(("account", account), network, quiet=True, limits=limits),
        Bucket(name=("address", network), most=limits.address),
    )


def from_inside(account_id: UUID, *, limits: Limits = LIMITS) -> tuple[Bucket, ...]:
    """What a try counts for that somebody makes who is logged in, to show again that it is them."""
    return (Bucket(name=("inside", str(account_id)), most=limits.source, own=True),)


def from_set_up(address: str) -> tuple[Bucket, ...]:
    """What a try at the set-up's code counts for."""
    return (Bucket(name=("set-up", network_of(address)), most=2 * LIMITS.source),)


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


def _subject(subject: tuple[str, str], network: str, *, quiet: bool, limits: Limits) -> tuple[Bucket, Bucket]:
    """One name or account: from this network, and from anywhere."""
    return (
        Bucket(name=(*subject, network), most=limits.source, quiet=quiet, own=True),
        Bucket(name=subject, most=limits.account, pause=limits.account_pause, quiet=quiet),
    )
