"""Grades as CSV: for people, for nbgrader's tools, and for Moodle."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator
from dataclasses import replace

from grader.domain.errors import InvalidInput
from grader.domain.text import listing
from grader.services.exports.files import CSV_TYPE, ExportedFile, csv_bytes, decimal
from grader.services.gradebook import Column, Gradebook, GradebookRow

Row = list[str | None]


def only(book: Gradebook, slugs: Collection[str]) -> Gradebook:
    """The gradebook with some of its assignments; all of them where none is named."""
    if not slugs:
        return book
    known = {column.slug for column in book.columns}
    if unknown := sorted(set(slugs) - known):
        raise InvalidInput("assignments", f"the course has no {listing(unknown)}.")
    kept = [at for at, column in enumerate(book.columns) if column.slug in slugs]
    return replace(
        book,
        columns=tuple(book.columns[at] for at in kept),
        rows=tuple(replace(row, cells=tuple(row.cells[at] for at in kept)) for row in book.rows),
    )


def gradebook_csv(book: Gradebook) -> ExportedFile:
    """Everything at a glance: who, points and days late per assignment, the total."""
    header: Row = ["Name", "Login", "Email", "Student number", "Section"]
    for column in book.columns:
        header += [f"{column.title} (of {decimal(column.max_score)})", f"{column.title}: days late"]
    header.append(f"Total (of {decimal(book.max_total)})")
    rows = [header, *(_plain(row) for row in book.rows)]
    return _file(book, "gradebook", rows)


def moodle_csv(book: Gradebook) -> ExportedFile:
    """For Moodle's grade import: map "Email address" or "ID number", and each assignment to its grade item.

    It has no column for feedback: Moodle wipes grades when feedback is imported without them.
    """
    header: Row = ["Username", "ID number", "Email address", *(column.title for column in book.columns)]
    rows = [
        [
            row.student.login,
            row.student.student_number,
            row.student.email,
            *(decimal(cell.points, places=2) for cell in row.cells),
        ]
        for row in book.rows
    ]
    return _file(book, "moodle", [header, *rows])


def nbgrader_csv(book: Gradebook) -> ExportedFile:
    """The columns of ``nbgrader export``, one line for each student and assignment."""
    header: Row = [
        "assignment", "duedate", "timestamp", "student_id", "last_name", "first_name", "email", "raw_score",
        "late_submission_penalty", "score", "max_score",
    ]  # fmt: skip
    return _file(book, "nbgrader", [header, *_nbgrader_rows(book)])


WRITERS: dict[str, Callable[[Gradebook], ExportedFile]] = {
    "gradebook": gradebook_csv,
    "moodle": moodle_csv,
    "nbgrader": nbgrader_csv,
}
"""The formats that need nothing but the gradebook."""


def _plain(row: GradebookRow) -> Row:
    student = row.student
    cells: Row = [student.name, student.login, student.email, student.student_number, student.section]
    for cell in row.cells:
        late = "" if cell.work is None else str(cell.lateness.days_late)
        cells += [decimal(cell.points), late]
    return [*cells, decimal(row.total)]


def _nbgrader_rows(book: Gradebook) -> Iterator[Row]:
    for row in book.rows:
        first, _, last = row.student.name.rpartition(" ")
        for column, cell in zip(book.columns, row.cells, strict=True):
            raw = None if cell.work is None else cell.work.points
            lost = None if raw is None or cell.points is None else raw - cell.points
            yield [
                column.slug,
                _iso(column),
                None if cell.work is None else cell.work.received_at.isoformat(),
                row.student.login,
                last,
                first,
                row.student.email,
                decimal(raw),
                decimal(lost),
                decimal(cell.points),
                decimal(column.max_score),
            ]


def _iso(column: Column) -> str | None:
    return column.schedule.due_at.isoformat() if column.schedule.due_at else None


def _file(book: Gradebook, kind: str, rows: list[Row]) -> ExportedFile:
    return ExportedFile(name=f"{book.seat.course_slug}-{kind}.csv", media_type=CSV_TYPE, data=csv_bytes(rows))
