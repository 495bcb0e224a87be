"""Moments as people read them: their own zone, named, with the machine's form beside it."""

from __future__ import annotations

from datetime import UTC, datetime, tzinfo
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

from markupsafe import Markup

from grader.domain import moments


def moment(at: datetime, zone: str = "UTC") -> Markup:
    """A moment as a `time` element, such as "Mon 30 Nov 2026, 23:59 CET"."""
    return Markup('<time datetime="{}">{}</time>').format(_machine(at), moment_text(at, zone))


def moment_text(at: datetime, zone: str = "UTC") -> str:
    """A moment in words, in the zone of that IANA name.

    >>> moment_text(datetime(2026, 11, 30, 22, 59, tzinfo=UTC), "Europe/Zurich")
    'Mon 30 Nov 2026, 23:59 CET'
    """
    return moments.moment_text(at, zone_named(zone))


def zone_named(name: str) -> tzinfo:
    """The zone of that IANA name; UTC where this machine knows none."""
    try:
        return ZoneInfo(name)
    except (ZoneInfoNotFoundError, ValueError, OSError):
        return UTC


def _machine(at: datetime) -> str:
    return at.astimezone(UTC).isoformat(timespec="seconds").replace("+00:00", "Z")
