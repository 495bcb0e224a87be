"""The work of `grader report` with a server: what its reader may see, in the same words as here."""

from __future__ import annotations

from dataclasses import dataclass, replace
from fractions import Fraction
from pathlib import Path
from typing import Any, Self
from uuid import UUID

from rich.markup import escape

from grader.cli.exits import ExitCode, leave
from grader.cli.output import answers, print_json, require_folder, write_text
from grader.cli.remote.answers.courses import AssignmentText
from grader.cli.remote.answers.submissions import Detail, Progress
from grader.cli.remote.client import Client, connected
from grader.cli.remote.courses import assignment_text
from grader.cli.remote.lookup import find_submission
from grader.cli.remote.notes import (
    changes_of,
    remarks_of,
    requests_of,
    say_what_lateness_takes,
    say_what_staff_say,
    say_why_again,
)
from grader.cli.remote.screens import say, zone_of
from grader.cli.remote.waiting import progress_words
from grader.content.uploads import read_uploads
from grader.domain.attempts import AttemptState
from grader.domain.errors import ServerFailed, UploadRefused
from grader.domain.report_reading import exact_points, view_from_json
from grader.domain.submission import SubmittedFiles
from grader.domain.view import ReportView
from grader.presentation.page import Heading
from grader.presentation.terminal import report as full_report


@dataclass(frozen=True, slots=True, kw_only=True)
class _Found:
    """What the server answers; `report` is None while there is none."""

    submission: Detail
    attempt: int
    state: AttemptState
    report: dict[str, Any] | None

    def on_its_clock(self) -> Self:
        """With every moment that is shown on the course's clock, as on its pages."""
        work = self.submission
        zone = zone_of(work.timezone)
        told = replace(
            work,
            received_at=work.received_at.astimezone(zone),
            comments=[replace(item, at=item.at.astimezone(zone)) for item in work.comments],
            adjustments=[replace(item, at=item.at.astimezone(zone)) for item in work.adjustments],
        )
        return replace(self, submission=told)


def understood(report: dict[str, Any], *, server: str) -> ReportView:
    """A server's report as it is shown; ServerFailed where this version does not understand it."""
    try:
        return view_from_json(report)
    except ValueError as error:
        raise ServerFailed(
            f"the report of {server} makes no sense to this version of the grader. Update it, or "
            "read the report on its page."
        ) from error


def report(
    server: str | None,
    *,
    typed: str,
    course: str | None,
    attempt: int | None,
    as_json: bool,
    html: Path | None,
) -> None:
    """Print what was found in a submission."""
    if html is not None:
        require_folder(html.parent, option="--html")
    with connected(server) as client:
        submission_id = find_submission(client, typed, course=course)
        show_report(client, submission_id, attempt=attempt, as_json=as_json, html=html)


def show_report(
    client: Client,
    submission_id: UUID,
    *,
    attempt: int | None = None,
    as_json: bool = False,
    html: Path | None = None,
) -> None:
    """Print a report with what staff say; ends with 1 while there is none, with 3 if none will come."""
    reply = client.get("submissions", str(submission_id), "report", attempt=attempt)
    found = reply.of(_Found).on_its_clock()
    view = None if found.report is None else understood(found.report, server=client.server)
    if as_json:
        # As `grader check --json` prints it, and what only a server knows.
        known = {"submission": reply.value["submission"]} if isinstance(reply.value, dict) else {}
        print_json({**(found.report or {}), **known, "attempt": found.attempt, "state": found.state.value})
    if view is None:
        if not as_json:
            _say_why_not(client, found)
        leave(ExitCode.OUR_FAULT if found.state.final else ExitCode.NO)
        return
    if not as_json or html is not None:
        _show(client, found, view, on_terminal=not as_json, html=html)


def _show(client: Client, found: _Found, view: ReportView, *, on_terminal: bool, html: Path | None) -> None:
    work = found.submission
    assignment = assignment_text(client, course=work.course, slug=work.assignment)
    source = _source(client, found.submission, assignment)
    heading = Heading(
        title=assignment.title,
        student=found.submission.student,
        submitted_at=found.submission.received_at,
        submission=found.submission.number,
        attempt=found.attempt,
        adjusted=_adjusted(found, view),
    )
    changes = changes_of(work, counts=_counts(found))
    if html is not None:
        # The page's templates are for whoever asks for a page.
        from grader.presentation.html import render_report  # noqa: PLC0415

        document = render_report(
            view,
            source=source,
            heading=heading,
            remarks=remarks_of(work),
            changes=changes,
            requests=requests_of(work),
        )
        write_text(html, document, option="--html")
    if not on_terminal:
        return
    answers().print(full_report(view, source=source, heading=heading, changes=changes))
    say_what_lateness_takes(work, assignment)
    say_why_again(work, attempt=found.attempt)
    say_what_staff_say(work)
    if html is not None:
        answers().print(f"\nReport: {escape(html.resolve().as_uri())}", soft_wrap=True)


def _source(client: Client, submission: Detail, assignment: AssignmentText) -> SubmittedFiles:
    """The uploaded files, read as the server read them; none where they can be read no more."""
    pairs = [
        (file.name, client.get("submissions", submission.id, "files", str(file.position)).data)
        for file in submission.files
    ]
    try:
        return read_uploads(pairs, entry=assignment.entry, functions=assignment.functions)
    except UploadRefused:
        return SubmittedFiles(entry=assignment.entry, files=())


def _say_why_not(client: Client, found: _Found) -> None:
    name = f"{found.submission.assignment}, submission {found.submission.number}"
    if found.state.final:
        say(f"{name} was not graded, through no fault of yours; it costs no points. Staff see it.")
        return
    progress = client.get("submissions", found.submission.id, "progress").of(Progress)
    say(f"{name}: {progress_words(progress)}")


def _counts(found: _Found) -> bool:
    """Whether the attempt in view is the one that counts: what staff set holds for no other."""
    return any(item.counts and item.number == found.attempt for item in found.submission.attempts)


def _adjusted(found: _Found, view: ReportView) -> Fraction | None:
    """The points that staff left of those in view; None where they changed nothing."""
    if found.submission.points is None or not _counts(found):
        return None
    left = exact_points(found.submission.points)
    return None if round(left - view.score, 3) == 0 else left  # the API rounds points
