"""The demo's reports as HTML files that open from disk."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from grader.cli.demo.outcomes import Outcome, lost_words
from grader.cli.output import write_text
from grader.domain.rubric import Assignment
from grader.domain.submission import SubmittedFiles
from grader.domain.view import ReportView
from grader.presentation.html import IndexRow, render_index, render_report
from grader.presentation.lesson import render_lesson
from grader.presentation.page import Heading

LESSON = "lesson.html"
INTRO = (
    "What the authors of the demo's sample submissions would read once grades are released. "
    "Each report is one file that opens from disk, prints, and needs no network."
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Report:
    """One report, ready to be shown anywhere."""

    outcome: Outcome
    view: ReportView
    source: SubmittedFiles
    heading: Heading

    @property
    def file_name(self) -> str:
        return f"{self.outcome.handed_in.sample.path.stem}.html"


def write_pages(reports: Sequence[Report], assignment: Assignment, *, out: Path) -> Path:
    """Write a page for each report, the lesson that they link to, and an index; returns the index."""
    for report in reports:
        page = render_report(report.view, source=report.source, heading=report.heading)
        write_text(out / report.file_name, page, option="--out")
    lesson = (assignment.root / assignment.lesson).read_text("utf-8")
    write_text(out / LESSON, render_lesson(lesson, title=assignment.title), option="--out")
    index = out / "index.html"
    rows = [_index_row(report) for report in reports]
    write_text(
        index,
        render_index(rows, title=f"{assignment.title}: the demo's reports", intro=INTRO),
        option="--out",
    )
    return index


def _index_row(report: Report) -> IndexRow:
    sample, view = report.outcome.handed_in.sample, report.view
    return IndexRow(
        href=report.file_name,
        name=sample.name,
        about=sample.about,
        score=view.score,
        max_score=view.max_score,
        graded=view.graded,
        lost=(words,) if (words := lost_words(report.outcome)) else (),
    )
