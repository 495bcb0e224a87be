"""The work of `grader report` and `grader status`: reading what the queue has done."""

from __future__ import annotations

from pathlib import Path
from time import monotonic, sleep
from uuid import UUID
from zoneinfo import ZoneInfo

from rich.live import Live
from rich.markup import escape
from rich.text import Text

from grader.cli.exits import ExitCode, leave
from grader.cli.node import Node, open_node
from grader.cli.output import answers, asides, print_json, require_folder, write_text
from grader.cli.rows import row_of, status_table, turn_of_events
from grader.domain.errors import ConfigurationInvalid
from grader.domain.report_json import view_to_json
from grader.domain.results import JsonValue
from grader.domain.strict_json import exact
from grader.domain.view import STAFF, Audience, Reader, view_of
from grader.presentation.html import render_report
from grader.presentation.page import Heading
from grader.presentation.terminal import progress_line
from grader.presentation.terminal import report as full_report
from grader.services import reading
from grader.services.lookup import find_submission, published_assignments, short_id
from grader.services.reading import AttemptFilter, AttemptView

LOOK_EVERY_S = 0.25
NOBODY_COMES_S = 10.0
NO_WORKER = (
    "No worker seems to be running, so this may take long. The submission is stored and safe: you may stop "
    "waiting (Ctrl-C) and ask for it later. A worker starts with `grader up`, or `grader worker`."
)
LATEST = 20
"""Attempts that `grader status` lists."""

STUDENT = Reader(audience=Audience.STUDENT)


def report(typed: str, *, attempt: int | None, every_check: bool, as_json: bool, html: Path | None) -> None:
    """Print what was found in a submission, by the start of its id."""
    if html is not None:
        require_folder(html.parent, option="--html")
    with open_node() as node:
        submission_id = find_submission(node.database, typed)
        found = _attempt_of(node, submission_id, number=attempt)
        show(node, found, reader=STAFF if every_check else STUDENT, as_json=as_json, html=html)


def status(*, as_json: bool) -> None:
    """Print the latest attempts and where they stand."""
    with open_node() as node:
        latest = reading.attempts(node.database, AttemptFilter(), limit=LATEST)
        if as_json:
            print_json({"attempts": [_status_json(attempt) for attempt in latest]})
            return
        if not latest:
            answers().print("Nothing has been handed in yet.")
            return
        answers().print(status_table(latest))


def wait_for(node: Node, attempt_id: UUID) -> AttemptView:
    """Follow an attempt until it ends."""
    say = asides()
    last = ""
    alarm_at = monotonic() + NOBODY_COMES_S
    with Live(console=say, transient=True, auto_refresh=False) as live:
        while True:
            attempt = reading.attempt(node.database, attempt_id)
            if attempt.state.final:
                return attempt
            row = row_of(node.database, attempt, name="submission")
            if say.is_terminal:
                live.update(Text(progress_line(row)), refresh=True)
            elif (line := turn_of_events(row)) != last:
                say.print(Text(line), soft_wrap=True)
                last = line
            if monotonic() > alarm_at and _nobody_works(node, attempt):
                say.print(NO_WORKER, style="yellow", soft_wrap=True)
                alarm_at = float("inf")
            sleep(LOOK_EVERY_S)


def _nobody_works(node: Node, attempt: AttemptView) -> bool:
    position = reading.queue_position(node.database, attempt.id)
    return position is not None and position.running == 0


def _attempt_of(node: Node, submission_id: UUID, *, number: int | None) -> AttemptView:
    """The newest attempt of a submission, or the one numbered so."""
    found = reading.attempts(node.database, AttemptFilter(submission_id=submission_id))
    for attempt in found:
        if number is None or attempt.number == number:
            return attempt
    only = "only attempt 1" if len(found) == 1 else f"attempts 1 to {len(found)}"
    raise ConfigurationInvalid("--attempt", f"this submission has {only}.")


def show(
    node: Node, attempt: AttemptView, *, reader: Reader, as_json: bool = False, html: Path | None = None
) -> None:
    """Print an attempt's report; ends the command with 1 while there is none, with 3 if none will come."""
    result = reading.result_of(node.database, attempt.id)
    if result is None:
        _print_waiting(node, attempt)
        leave(ExitCode.OUR_FAULT if attempt.state.final else ExitCode.NO)
        return
    source = reading.files_of(node.database, attempt.submission_id)
    view = view_of(result, reader, source=source)
    heading = Heading(
        title=_title(node, attempt.assignment),
        student=attempt.student_name,
        submitted_at=attempt.received_at.astimezone(ZoneInfo(node.course().timezone)),
        submission=attempt.submission_number,
        attempt=attempt.number,
    )
    if html is not None:
        write_text(html, render_report(view, source=source, heading=heading), option="--html")
    if as_json:
        print_json(view_to_json(view))
    else:
        answers().print(full_report(view, source=source, heading=heading))
        if html is not None:
            answers().print(f"\nReport: {escape(html.resolve().as_uri())}", soft_wrap=True)


def _title(node: Node, slug: str) -> str:
    """The title of an assignment; its slug should nothing of that name be published."""
    published = published_assignments(node.database, course_id=node.course().id)
    return next((item.title for item in published if item.slug == slug), slug)


def _print_waiting(node: Node, attempt: AttemptView) -> None:
    if attempt.state.final:
        words = (
            f"{_name(attempt)} was not graded, through no fault of yours; it costs no points. Staff see it."
        )
    else:
        words = progress_line(row_of(node.database, attempt, name=_name(attempt)))
    answers().print(Text(words), soft_wrap=True)


def _name(attempt: AttemptView) -> str:
    """Such as "6a9916fe ada functional-core 2"; the attempt's number only where it is not the first."""
    again = "" if attempt.number == 1 else f", attempt {attempt.number}"
    whose = f"{attempt.student} {attempt.assignment} {attempt.submission_number}"
    return f"{short_id(attempt.submission_id)} {whose}{again}"


def _status_json(attempt: AttemptView) -> dict[str, JsonValue]:
    return {
        "submission": attempt.submission_id.hex,
        "student": attempt.student,
        "assignment": attempt.assignment,
        "submission_number": attempt.submission_number,
        "attempt": attempt.number,
        "state": attempt.state.value,
        "queue": attempt.queue.value,
        "tries": attempt.tries,
        "received_at": attempt.received_at.isoformat(),
        "score": None if attempt.score is None else exact(attempt.score),
        "max_score": None if attempt.max_score is None else exact(attempt.max_score),
        "failure_reason": attempt.failure_reason,
    }
