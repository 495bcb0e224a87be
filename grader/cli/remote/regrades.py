"""The work of `grader regrade`: plans, what they would change, and decisions on them."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from time import sleep

from grader.cli.output import asides, print_json
from grader.cli.remote.answers.staff import Plan, PlanChanges, PlanRow
from grader.cli.remote.client import Client, connected
from grader.cli.remote.courses import the_course
from grader.cli.remote.screens import change_words, points_words, say, show_table, when, zone_of
from grader.domain.errors import NotFound
from grader.domain.regrades import Which
from grader.domain.reviewing import PlanState
from grader.domain.text import one_line
from grader.domain.verdicts import Verdict
from grader.presentation.words import counted

LOOK_EVERY_S = 1.0
SHORT = 8


class Decision(StrEnum):
    """What can be done with a plan."""

    APPLY = "apply"
    UNDO = "undo"
    DISCARD = "discard"


_DONE = {
    Decision.APPLY: "applied: its attempts count now",
    Decision.UNDO: "undone: what counted before counts again",
    Decision.DISCARD: "put aside for good",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Wanted:
    """Which submissions are to be graded again, why, and against which version (None: the newest)."""

    reason: str
    which: Which
    check: str | None
    verdicts: tuple[Verdict, ...]
    version: int | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Place:
    """The assignment that a command is about."""

    course: str
    slug: str

    @property
    def segments(self) -> tuple[str, ...]:
        """Its plans' address."""
        return ("courses", self.course, "assignments", self.slug, "regrades")


def plan(
    server: str | None, wanted: Wanted, *, slug: str, course: str | None, wait: bool, as_json: bool
) -> None:
    """Make a plan; nothing counts before it is applied. With `wait`, show what it would change."""
    with connected(server) as client:
        place = Place(course=the_course(client, course).slug, slug=slug)
        body = {
            "reason": wanted.reason,
            "which": wanted.which.value,
            "check_id": wanted.check,
            "verdicts": [verdict.value for verdict in wanted.verdicts],
            "assignment_version": wanted.version,
        }
        reply = client.post(*place.segments, body=body)
        made = reply.of(Plan)
        if wait:
            _wait(client, place, made.id)
            _show(client, place, made.id, as_json=as_json)
            return
    if as_json:
        print_json({"plan": reply.value})
        return
    say(f"Plan {made.id[:SHORT]}: {made.progress.total} submissions are graded again; nothing counts yet.")
    say(f"Look at it with: grader regrade show {slug} {made.id[:SHORT]}")


def list_plans(server: str | None, *, slug: str, course: str | None, as_json: bool) -> None:
    """List an assignment's plans."""
    with connected(server) as client:
        found = the_course(client, course)
        reply = client.get(*Place(course=found.slug, slug=slug).segments)
    if as_json:
        print_json({"plans": reply.value})
        return
    zone = zone_of(found.timezone)
    rows = [
        (
            item.id[:SHORT],
            when(item.created_at, zone),
            item.created_by,
            item.state.value,
            _progress_words(item),
            item.reason,
        )
        for item in reply.of(list[Plan])
    ]
    headings = ("Plan", "Made", "By", "State", "Graded", "Reason")
    show_table(headings, rows, empty=f"There is no regrade plan for {slug}.")


def show(server: str | None, *, slug: str, typed: str, course: str | None, wait: bool, as_json: bool) -> None:
    """Show who a plan changes, by how much, and why."""
    with connected(server) as client:
        place = Place(course=the_course(client, course).slug, slug=slug)
        plan_id = _find(client, place, typed).id
        if wait:
            _wait(client, place, plan_id)
        _show(client, place, plan_id, as_json=as_json)


def decide(
    server: str | None,
    decision: Decision,
    *,
    slug: str,
    typed: str,
    seen: int | None,
    course: str | None,
    as_json: bool,
) -> None:
    """Apply, undo or discard a plan; refused where it is no longer as it was when `seen`."""
    with connected(server) as client:
        place = Place(course=the_course(client, course).slug, slug=slug)
        found = _find(client, place, typed)
        version = found.version if seen is None else seen
        reply = client.post(*place.segments, found.id, decision.value, body={"version": version})
    if as_json:
        print_json({"plan": reply.value})
        return
    say(f"Plan {found.id[:SHORT]} is {_DONE[decision]}.")


def _find(client: Client, place: Place, typed: str) -> Plan:
    known = client.get(*place.segments).of(list[Plan])
    found = [item for item in known if item.id.startswith(typed.strip().lower())]
    if len(found) != 1:
        remedy = f"`grader regrade list {place.slug}` lists them." if not found else "Give more of its id."
        raise NotFound("regrade plan", one_line(typed, 80), remedy)
    return found[0]


def _wait(client: Client, place: Place, plan_id: str) -> None:
    last = ""
    while True:
        plan = _find(client, place, plan_id)  # cheaper than what it changes
        if plan.state is not PlanState.RUNNING:
            return
        if (words := _progress_words(plan)) != last:
            asides().print(f"Graded again: {words}", soft_wrap=True)
            last = words
        sleep(LOOK_EVERY_S)


def _show(client: Client, place: Place, plan_id: str, *, as_json: bool) -> None:
    reply = client.get(*place.segments, plan_id)
    found = reply.of(PlanChanges)
    if as_json:
        print_json({"changes": reply.value})
        return
    plan = found.plan
    say(
        f"Plan {plan.id[:SHORT]} for {plan.assignment}, version {plan.assignment_version}: {plan.state.value}"
    )
    say(f"Reason: {plan.reason}")
    say(f"Graded again: {_progress_words(plan)}. Points rise for {found.up}, fall for {found.down}.")
    for item in found.worth:
        worth = f"from {points_words(item.before)} to {points_words(item.after)}"
        say(f"The points possible change {worth} for {counted(item.submissions, 'submission')}.")
    changed = [row for row in found.rows if _changes(row)]
    rows = [
        (
            row.login,
            row.number,
            _of(row.before, row.worth_before),
            _of(row.after, row.worth_after),
            change_words(row.total_delta),
            _why(row),
        )
        for row in changed
    ]
    headings = ("Login", "Submission", "Before", "After", "Total changes by", "Why")
    show_table(headings, rows, empty="It changes nobody's points.")
    if plan.state is PlanState.READY:
        say(f"Let it count with: grader regrade apply {place.slug} {plan.id[:SHORT]} --seen {plan.version}")


def _changes(row: PlanRow) -> bool:
    return row.before != row.after or row.worth_before != row.worth_after or bool(row.total_delta)


def _of(points: float | None, worth: float | None) -> str:
    """Points, of how many; a server of before tells the first alone."""
    if points is None or worth is None:
        return points_words(points)
    return f"{points_words(points)} / {points_words(worth)}"


def _why(row: PlanRow) -> str:
    if not row.checks:
        return row.state
    return "; ".join(f"{item.check_id} {change_words(item.delta)} ({item.cause})" for item in row.checks)


def _progress_words(plan: Plan) -> str:
    failed = f", {plan.progress.failed} failed" if plan.progress.failed else ""
    return f"{plan.progress.done} of {plan.progress.total}{failed}"
