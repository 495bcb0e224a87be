"""The work of `grader assignment dates`, `release`, `extend` and `extensions`."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any
from zoneinfo import ZoneInfo

from grader.cli.output import asides, print_json
from grader.cli.remote.answers.staff import Dates, Extension
from grader.cli.remote.client import Client, Reply, connected
from grader.cli.remote.courses import the_course
from grader.cli.remote.screens import say, say_facts, show_table, when, zone_of
from grader.domain.errors import InvalidInput, NotFound
from grader.domain.moments import duration_words
from grader.domain.scheduling import Counting, LateRule
from grader.domain.text import one_line
from grader.domain.zones import typed_time

NONE = "none"
"""What takes a date or a limit away."""

_PERCENT = 100


@dataclass(frozen=True, slots=True, kw_only=True)
class DateChanges:
    """What to change, as it was typed; None leaves it as it is, `NONE` takes it away."""

    opens: str | None = None
    due: str | None = None
    closes: str | None = None
    late_percent_per_day: float | None = None
    grace: bool | None = None
    limit: str | None = None
    cooldown_s: int | None = None
    counting: Counting | None = None
    draft: bool | None = None

    def any(self) -> bool:
        """Whether anything is to change."""
        return self != DateChanges()


@dataclass(frozen=True, slots=True, kw_only=True)
class ExtensionWanted:
    """More time for one student, as it was typed."""

    login: str
    due: str
    closes: str | None
    reason: str


def dates(server: str | None, *, slug: str, course: str | None, changes: DateChanges, as_json: bool) -> None:
    """Show an assignment's dates and rules, after changing them where something is to change."""
    with connected(server) as client:
        where = ("courses", the_course(client, course).slug, "assignments", slug, "schedule")
        reply = client.get(*where)
        if changes.any():
            reply = client.put(*where, body=_changed(reply.of(Dates), changes))
    _tell(reply, as_json=as_json)


def release(server: str | None, *, slug: str, course: str | None, take_back: bool, as_json: bool) -> None:
    """Release an assignment's grades, or take them back."""
    with connected(server) as client:
        where = ("courses", the_course(client, course).slug, "assignments", slug)
        now = client.get(*where, "schedule").of(Dates)
        action = "take-back" if take_back else "release"
        reply = client.post(*where, action, body={"version": now.version})
    if as_json:
        print_json({"dates": reply.value})
        return
    done = reply.of(Dates)
    say(f"Grades of {slug}: {_released(done)}.")


def extend(
    server: str | None, wanted: ExtensionWanted, *, slug: str, course: str | None, as_json: bool
) -> None:
    """Grant one student more time."""
    with connected(server) as client:
        found = the_course(client, course)
        zone = zone_of(found.timezone)
        body = {
            "login": wanted.login,
            "due_at": _moment(wanted.due, zone, option="--due"),
            "closes_at": _moment(wanted.closes, zone, option="--closes"),
            "reason": wanted.reason,
        }
        reply = client.post("courses", found.slug, "assignments", slug, "extensions", body=body)
    if as_json:
        print_json({"extension": reply.value})
        return
    made = reply.of(Extension)
    say(f"{made.login} has until {when(made.due_at, zone)} for {slug}.")


def extensions(
    server: str | None, *, slug: str, take_back: str | None, course: str | None, as_json: bool
) -> None:
    """List an assignment's extensions, after taking one back where that is wanted."""
    with connected(server) as client:
        found = the_course(client, course)
        where = ("courses", found.slug, "assignments", slug, "extensions")
        if take_back is not None:
            _take_back(client, found.slug, client.get(*where).of(list[Extension]), take_back)
        reply = client.get(*where)
    if as_json:
        print_json({"extensions": reply.value})
        return
    zone = zone_of(found.timezone)
    rows = [
        (
            item.id[:8],
            item.login,
            when(item.due_at, zone),
            item.reason,
            item.granted_by,
            when(item.revoked_at, zone, never=""),
        )
        for item in reply.of(list[Extension])
    ]
    headings = ("Id", "Login", "Due", "Reason", "Granted by", "Taken back")
    show_table(headings, rows, empty=f"Nobody has more time for {slug}.")


def _take_back(client: Client, course: str, known: list[Extension], typed: str) -> None:
    found = [item for item in known if item.id.startswith(typed.lower()) and item.revoked_at is None]
    if len(found) != 1:
        raise NotFound(
            "extension that holds", one_line(typed, 80), "The list without --take-back has its id."
        )
    client.delete("courses", course, "extensions", found[0].id)


def _changed(now: Dates, changes: DateChanges) -> dict[str, Any]:
    """The whole of what is to hold; the version says what it was decided upon."""
    zone = zone_of(now.timezone)
    share = now.late_share_per_day
    if changes.late_percent_per_day is not None:
        share = changes.late_percent_per_day / _PERCENT
    return {
        "version": now.version,
        "draft": now.draft if changes.draft is None else changes.draft,
        "opens_at": _kept_or_new(now.opens_at, changes.opens, zone, option="--opens"),
        "due_at": _kept_or_new(now.due_at, changes.due, zone, option="--due"),
        "closes_at": _kept_or_new(now.closes_at, changes.closes, zone, option="--closes"),
        "late_rule": (LateRule.PER_DAY if share else LateRule.NOTHING).value,
        "late_share_per_day": share,
        "uses_grace_days": now.uses_grace_days if changes.grace is None else changes.grace,
        "submission_limit": _limit(now.submission_limit, changes.limit),
        "cooldown_s": now.cooldown_s if changes.cooldown_s is None else changes.cooldown_s,
        "counting": (changes.counting or now.counting).value,
    }


def _limit(now: int | None, typed: str | None) -> int | None:
    if typed is None:
        return now
    if typed.lower() == NONE:
        return None
    if not typed.isdecimal():
        raise InvalidInput("--limit", f"{one_line(typed, 40)!r} is no number.", f"Write 10, or {NONE}.")
    return int(typed)


def _kept_or_new(now: datetime | None, typed: str | None, zone: ZoneInfo, *, option: str) -> str | None:
    if typed is None:
        return None if now is None else now.isoformat()
    return _moment(typed, zone, option=option)


def _moment(typed: str | None, zone: ZoneInfo, *, option: str) -> str | None:
    """A time on the course's clock as the server takes it; says how it was read where that is not plain."""
    if typed is None or typed.lower() == NONE:
        return None
    read = typed_time(typed, zone=zone, field=option)
    if read is None:
        raise InvalidInput(option, "it is empty.", f"Write 2026-11-30 23:59, or {NONE}.")
    if read.note:
        asides().print(read.note, soft_wrap=True, markup=False)
    return read.moment.isoformat()


def _tell(reply: Reply, *, as_json: bool) -> None:
    if as_json:
        print_json({"dates": reply.value})
        return
    now = reply.of(Dates)
    zone = zone_of(now.timezone)
    percent = now.late_share_per_day * _PERCENT
    late = f"{percent:g} % of the points a day begun" if percent else "nothing"
    hidden = " (a draft: hidden)" if now.draft else ""
    say_facts(
        {
            "Opens": f"{when(now.opens_at, zone, never='at once')}{hidden}",
            "Due": when(now.due_at, zone, never="never"),
            "Closes": when(now.closes_at, zone, never="never"),
            "Late work": f"costs {late}{', grace days first' if now.uses_grace_days else ''}",
            "Submissions": f"{now.submission_limit or 'any number'}{_cooldown(now)}",
            "What counts": f"the {now.counting.value} submission",
            "Grades": _released(now),
        }
    )


def _cooldown(now: Dates) -> str:
    return f", {duration_words(timedelta(seconds=now.cooldown_s))} apart" if now.cooldown_s else ""


def _released(now: Dates) -> str:
    return f"released {when(now.released_at, zone_of(now.timezone))}" if now.released_at else "not released"
