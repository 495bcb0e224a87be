"""Moments in words: always with their zone, never in a format that two countries read differently."""

from __future__ import annotations

from datetime import datetime, timedelta, tzinfo

_DAYS = ("Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun")
_MONTHS = ("Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec")
_UNITS = ((86_400, "day"), (3_600, "hour"), (60, "minute"), (1, "second"))


def moment_text(moment: datetime, zone: tzinfo, *, seconds: bool = False) -> str:
    """An aware moment on the clock of a zone, whatever the machine's language.

    >>> from datetime import UTC
    >>> from zoneinfo import ZoneInfo
    >>> moment_text(datetime(2026, 12, 4, 22, 59, 5, tzinfo=UTC), ZoneInfo("Europe/Zurich"))
    'Fri 4 Dec 2026, 23:59 CET'
    >>> moment_text(datetime(2026, 12, 4, 22, 59, 5, tzinfo=UTC), ZoneInfo("UTC"), seconds=True)
    'Fri 4 Dec 2026, 22:59:05 UTC'
    """
    local = moment.astimezone(zone)
    clock = f"{local:%H:%M:%S}" if seconds else f"{local:%H:%M}"
    day = f"{_DAYS[local.weekday()]} {local.day} {_MONTHS[local.month - 1]} {local.year:04}"
    return f"{day}, {clock} {local.tzname()}"


def duration_words(duration: timedelta) -> str:
    """How long something lasts, in its two largest units, rounded up to a second.

    >>> duration_words(timedelta(hours=49, minutes=5)), duration_words(timedelta(seconds=0.2))
    ('2 days 1 hour', '1 second')
    """
    left = max(0, -int(-duration.total_seconds() // 1))
    parts = []
    for size, name in _UNITS:
        count, left = divmod(left, size)
        if count:
            parts.append(f"{count} {name}" if count == 1 else f"{count} {name}s")
        elif parts:
            break  # "2 days 3 minutes" would skip the hours
    return " ".join(parts[:2]) or "0 seconds"
