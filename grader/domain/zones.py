"""Times as people type them: on a local clock, where one hour a year is missing and one comes twice."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, datetime
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError, available_timezones

from grader.domain.errors import InvalidInput
from grader.domain.text import one_line

_EARLIEST = datetime(1970, 1, 1, tzinfo=UTC)
_LATEST = datetime(9990, 1, 1, tzinfo=UTC)
_NO_PLACES = frozenset({"Factory", "localtime", "posixrules"})
"""What some machines list beside the zones of places."""


@dataclass(frozen=True, slots=True, kw_only=True)
class TypedTime:
    """A moment that somebody typed (UTC); `note` says how it was read where that is not plain."""

    moment: datetime
    note: str | None = None


def zone_named(name: str) -> ZoneInfo:
    """The time zone of an IANA name; InvalidInput if there is none."""
    try:
        return ZoneInfo(name.strip())
    except (ZoneInfoNotFoundError, ValueError, OSError) as error:
        raise InvalidInput(
            "time zone", f"{one_line(name, 80)!r} is no time zone.", "Use an IANA name such as Europe/Zurich."
        ) from error


def zone_names() -> tuple[str, ...]:
    """The zones there are to choose from: places and UTC, none that stands for a machine's own clock."""
    return tuple(sorted(available_timezones() - _NO_PLACES))


def typed_time(text: str, *, zone: ZoneInfo, field: str) -> TypedTime | None:
    """The moment that somebody typed into a field as a local time; None for an empty text.

    A time that names its own offset is taken at its word. A clock time that does not exist (clocks put
    forward) is read as the same distance after the change; of one that comes twice (put back) the later
    counts: as everywhere, neither costs a student anything.

    >>> typed_time("2026-10-25T02:30", zone=ZoneInfo("Europe/Zurich"), field="due").moment.isoformat()
    '2026-10-25T01:30:00+00:00'
    """
    if not text.strip():
        return None
    try:
        parsed = datetime.fromisoformat(text.strip())
        if parsed.tzinfo is not None:
            return TypedTime(moment=parsed.astimezone(UTC))
        first, second = (parsed.replace(tzinfo=zone, fold=fold).astimezone(UTC) for fold in (0, 1))
    except (ValueError, OverflowError) as error:
        raise InvalidInput(
            field, f"{one_line(text, 40)!r} is no time.", "Write it as 2026-11-30 23:59."
        ) from error
    if first == second:
        return TypedTime(moment=first)
    moment = max(first, second)
    return TypedTime(moment=moment, note=_note(parsed, moment.astimezone(zone), zone))


def require_tellable(moment: datetime | None, *, field: str) -> None:
    """InvalidInput for a moment so near to an end of the calendar that some zone, or a day later, has none.

    >>> require_tellable(datetime(9999, 12, 31, 23, tzinfo=UTC), field="due")
    Traceback (most recent call last):
    grader.domain.errors.InvalidInput: due: it is not between the years 1970 and 9989. Give another time.
    """
    if moment is not None and not _EARLIEST <= moment < _LATEST:
        raise InvalidInput(field, "it is not between the years 1970 and 9989.", "Give another time.")


def local_text(moment: datetime | None, zone: ZoneInfo) -> str:
    """A moment as a form's field for local times takes it; empty for None.

    >>> local_text(datetime(2026, 7, 1, 10, tzinfo=UTC), ZoneInfo("Europe/Zurich"))
    '2026-07-01T12:00'
    """
    if moment is None:
        return ""
    local = moment.astimezone(zone).replace(tzinfo=None)
    return local.isoformat(timespec="seconds" if local.second else "minutes")


def _note(typed: datetime, read: datetime, zone: ZoneInfo) -> str:
    if read.replace(tzinfo=None, fold=0) == typed:
        return (
            f"{typed:%H:%M} on {typed:%Y-%m-%d} comes twice in {zone.key}, since clocks are put back then. "
            f"The later one was taken ({read:%H:%M %Z})."
        )
    return (
        f"{typed:%H:%M} on {typed:%Y-%m-%d} does not exist in {zone.key}, since clocks are put forward then. "
        f"It was read as {read:%H:%M %Z}."
    )
