"""The work of `grader review queue`: which submissions wait for a look."""

from __future__ import annotations

from dataclasses import dataclass, fields
from zoneinfo import ZoneInfo

from grader.cli.output import print_json
from grader.cli.remote.answers.review import Queue, QueueItem
from grader.cli.remote.client import Client, connected
from grader.cli.remote.courses import the_course
from grader.cli.remote.lookup import SHORT, find_submission
from grader.cli.remote.screens import change_words, points_words, say, show_table, when, zone_of
from grader.domain.attempts import STATES_FOR_STAFF
from grader.domain.verdicts import Family, Verdict
from grader.presentation.words import counted
from grader.services.reviewing.filters import Order, QueueFilter, Reviewed


@dataclass(frozen=True, slots=True, kw_only=True)
class Wanted:
    """Which submissions to list, in the words of the page and the API; None and False restrict nothing."""

    assignment: str | None
    section: str | None
    criterion: str | None
    family: Family | None
    verdict: Verdict | None
    code: str | None
    reviewed: Reviewed | None
    flagged: bool
    requested: bool
    needs_staff: bool
    every: bool
    order: Order
    blind: bool
    limit: int
    after: str | None
    """The last submission of the part before, as people type one."""

    @property
    def narrows(self) -> bool:
        """Whether the page's filters would leave anything out."""
        filters = {field.name for field in fields(QueueFilter)} - {"every"}
        return any(getattr(self, name) for name in filters)

    def query(self, client: Client, *, course: str) -> dict[str, object]:
        """As an address asks for it."""
        after = None if self.after is None else str(find_submission(client, self.after, course=course))
        return {
            "assignment": self.assignment,
            "section": self.section,
            "criterion": self.criterion,
            "family": self.family and self.family.value,
            "verdict": self.verdict and self.verdict.value,
            "code": self.code,
            "reviewed": self.reviewed and self.reviewed.value,
            "flagged": self.flagged,
            "requested": self.requested,
            "needs_staff": self.needs_staff,
            "every": self.every,
            "order": self.order.value,
            "blind": self.blind,
            "limit": self.limit,
            "after": after,
        }


def queue(server: str | None, wanted: Wanted, *, course: str | None, as_json: bool) -> None:
    """List the submissions that wait for a look, and how to ask for the rest."""
    with connected(server) as client:
        found = the_course(client, course)
        query = wanted.query(client, course=found.slug)
        reply = client.get("courses", found.slug, "review", **query)
    if as_json:
        print_json({"queue": reply.value})
        return
    part = reply.of(Queue)
    if not part.found and not wanted.narrows:
        say("Nothing is handed in yet.")
        return
    say(f"{counted(part.found, 'submission')}, {part.waiting} not reviewed.")
    zone = zone_of(found.timezone)
    headings = ("Submission", "Student", "Work", "Received", "Points", "Needs", "Review")
    show_table(headings, [_row(item, zone) for item in part.items], empty="Nothing fits these filters.")
    if part.after is not None:
        say(f"There are more: the same again with --after {_short(part.after)}")


def _row(item: QueueItem, zone: ZoneInfo) -> tuple[object, ...]:
    login = f" ({item.login})" if item.login else ""
    section = f", {item.section}" if item.section else ""
    return (
        _short(item.submission_id),
        f"{item.student}{login}{section}",
        f"{item.assignment}/{item.number}",
        when(item.received_at, zone),
        _points(item),
        _needs(item),
        _review(item),
    )


def _points(item: QueueItem) -> str:
    if item.points is None:
        return item.state.value.replace("_", " ")
    staff = f" ({change_words(item.adjusted_by)} by staff)" if item.adjusted_by else ""
    return f"{points_words(item.points)} / {points_words(item.max_points)}{staff}"


def _needs(item: QueueItem) -> str:
    needs = (
        "regrade requested" if item.requested_at else "",
        counted(item.flags, "flag") if item.flags else "",
        "not graded" if item.state in STATES_FOR_STAFF else "",
    )
    return ", ".join(need for need in needs if need)


def _review(item: QueueItem) -> str:
    parts = (
        f"reviewed by {item.reviewed_by or 'staff'}" if item.reviewed_at else "",
        counted(item.comments, "comment") if item.comments else "",
    )
    return ", ".join(part for part in parts if part)


def _short(submission_id: str) -> str:
    return submission_id.replace("-", "")[:SHORT]
