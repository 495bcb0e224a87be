"""The demo from beginning to end: `grader demo`."""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from rich.console import Console
from rich.markup import escape
from rich.text import Text

from grader.cli.demo.outcomes import Outcome, difference_lines, outcome_table
from grader.cli.demo.pages import LESSON, Report, write_pages
from grader.cli.demo.screen import watch
from grader.cli.demo.stage import Stage, set_stage
from grader.cli.exits import ExitCode, leave
from grader.cli.output import answers, require_folder
from grader.domain.lessons import pointing_into
from grader.domain.view import Audience, Reader, view_of
from grader.presentation.page import Heading
from grader.presentation.terminal import report as full_report
from grader.presentation.words import duration_text
from grader.services.lessons import anchors_of

INTRO = "Students hand in files; a queue and a worker on this machine grade them. About a minute."

SHOWN = "reuses_key.py"
"""The sample whose report is shown in full: a fault that no test of values would find."""

AUTHOR_AFTER_RELEASE = Reader(audience=Audience.STUDENT, released=True, past_due=True)


def run(*, out: Path, keep: bool) -> None:
    """Show everything; ends the command with 1 if what was found is not what was expected."""
    began = time.monotonic()
    say = answers()
    require_folder(out, option="--out")
    say.print(f"[bold]The grader at work.[/] {INTRO}\n", soft_wrap=True)
    try:
        with set_stage(say, keep=keep) as stage:
            outcomes, index = _grade(say, stage, out=out)
            home = stage.node.settings.home
    except KeyboardInterrupt:
        say.print("\nStopped; nothing is left running.")
        raise
    differences = difference_lines(outcomes)
    _show_end(say, differences, index=index)
    if keep:
        say.print(f"The demo's database and logs are in {escape(str(home))}.", soft_wrap=True)
    say.print(f"Everything is stopped again. The demo took {duration_text(time.monotonic() - began)}.")
    leave(ExitCode.NO if differences else ExitCode.FINE)


def _grade(say: Console, stage: Stage, *, out: Path) -> tuple[tuple[Outcome, ...], Path]:
    """Watch the grading and show what came of it; returns that, and the index of the pages written."""
    say.print("\n[bold]Grading[/]")
    outcomes = watch(say, stage)
    reports = [report for outcome in outcomes for report in _reports(stage, outcome)]
    index = write_pages(reports, stage.assignment, out=out)
    say.print(outcome_table(outcomes))
    _show_one(say, reports, lesson=(out / LESSON).resolve().as_uri())
    return outcomes, index


def _reports(stage: Stage, outcome: Outcome) -> list[Report]:
    """The report of an outcome, or none where grading broke down altogether."""
    if outcome.result is None:
        return []
    attempt = outcome.attempt
    heading = Heading(
        title=stage.assignment.title,
        student=attempt.student_name,
        submitted_at=attempt.received_at,
        submission=attempt.submission_number,
        attempt=attempt.number,
        lesson_url=LESSON,
    )
    view = view_of(outcome.result, AUTHOR_AFTER_RELEASE, source=outcome.source)
    view = pointing_into(view, anchors_of(stage.assignment))
    return [Report(outcome=outcome, view=view, source=outcome.source, heading=heading)]


def _show_one(say: Console, reports: Sequence[Report], *, lesson: str) -> None:
    for report in reports:
        if report.outcome.handed_in.sample.name == SHOWN:
            say.print(f"\n[bold]What the author of {SHOWN} reads[/]\n")
            heading = replace(report.heading, lesson_url=lesson)
            say.print(full_report(report.view, source=report.source, heading=heading))


def _show_end(say: Console, differences: Sequence[str], *, index: Path) -> None:
    say.print(f"\nAll reports: {escape(index.resolve().as_uri())}", soft_wrap=True)
    if not differences:
        say.print("[green]Every sample lost exactly the points of its fault.[/]")
        return
    say.print("\n[bold red]Not as expected:[/]")
    for line in differences:
        say.print(Text(f"  {line}"), soft_wrap=True)
