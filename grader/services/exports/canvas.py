"""Grades for Canvas, in the shape of its own gradebook export.

Canvas knows people by ids that only it has. Given the course's own export, its identities are used as they
stand there, and a column goes under the very title, id included, that Canvas gave its assignment; a title
that Canvas does not know makes a new assignment there.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import takewhile

from grader.content.tables import Line, read_table
from grader.domain.errors import InvalidInput
from grader.domain.text import listing
from grader.services.exports.files import CSV_TYPE, ExportedFile, csv_bytes, decimal
from grader.services.gradebook import Column, Gradebook, GradebookRow, Student

_IDENTITY = (
    "student", "lastname", "firstname", "id", "sis user id", "sis login id", "integration id", "root account",
    "section",
)  # fmt: skip
"""The columns that say who somebody is, at the start of every export of Canvas."""

_PLAIN_HEADER = ("Student", "ID", "SIS User ID", "SIS Login ID", "Section")
_POINTS = "    Points Possible"
_WITH_ID = re.compile(r"(?P<title>.*) \((?P<id>\d+)\)")
PLACES = 2
"""Canvas compares grades at two decimals."""

Row = list[str | None]


@dataclass(frozen=True, slots=True, kw_only=True)
class Unmatched:
    """What Canvas's own export and the gradebook do not have in common.

    `not_in_canvas` are logins, and left out; `only_in_canvas` are names as Canvas writes them, and left out;
    `new_assignments` are titles of which Canvas will make new assignments.
    """

    not_in_canvas: tuple[str, ...]
    only_in_canvas: tuple[str, ...]
    new_assignments: tuple[str, ...]


def canvas_csv(book: Gradebook, *, own_export: bytes | None = None) -> ExportedFile:
    """The gradebook for Canvas's import; `unmatched` tells whom and what it does not reach."""
    rows = _by_our_identities(book) if own_export is None else _by_their_identities(book, own_export)[0]
    return ExportedFile(name=f"{book.seat.course_slug}-canvas.csv", media_type=CSV_TYPE, data=csv_bytes(rows))


def unmatched(book: Gradebook, *, own_export: bytes) -> Unmatched:
    """Whom and what the file for Canvas would leave out, and which assignments it would make."""
    return _by_their_identities(book, own_export)[1]


def _by_our_identities(book: Gradebook) -> list[Row]:
    titles = [column.title for column in book.columns]
    rows: list[Row] = [[*_PLAIN_HEADER, *titles], _possible(len(_PLAIN_HEADER), book.columns)]
    for row in book.rows:
        student = row.student
        who = [_sortable(student.name), None, student.student_number, student.login, student.section]
        rows.append([*who, *_grades(row)])
    return rows


@dataclass(frozen=True, slots=True, kw_only=True)
class _Finder:
    """Our rows by what Canvas may know of a person; what is ambiguous finds nobody."""

    by_login: Mapping[str, GradebookRow]
    by_number: Mapping[str, GradebookRow]
    by_name: Mapping[str, GradebookRow]

    @classmethod
    def of(cls, rows: Sequence[GradebookRow]) -> _Finder:
        names: dict[str, list[GradebookRow]] = {}
        for row in rows:
            for name in (row.student.name, _sortable(row.student.name)):
                names.setdefault(name.casefold(), []).append(row)
        return cls(
            by_login={alias.casefold(): row for row in rows for alias in _aliases(row.student)},
            by_number={row.student.student_number: row for row in rows if row.student.student_number},
            by_name={name: found[0] for name, found in names.items() if len({id(x) for x in found}) == 1},
        )

    def find(self, cells: Mapping[str, str]) -> GradebookRow | None:
        name = cells.get("student") or ", ".join(
            part for part in (cells.get("lastname"), cells.get("firstname")) if part
        )
        return (
            self.by_number.get(cells.get("sis user id", ""))
            or self.by_login.get(cells.get("sis login id", "").casefold())
            or self.by_name.get(name.casefold())
        )


def _by_their_identities(book: Gradebook, own_export: bytes) -> tuple[list[Row], Unmatched]:
    theirs = read_table(own_export, field="canvas export")
    identity = list(takewhile(lambda name: name.casefold() in _IDENTITY, theirs.header))
    keys = [name.casefold() for name in identity]
    if "id" not in keys:
        raise InvalidInput(
            "canvas export",
            f"its first line reads: {listing(theirs.header, at_most=6)}. There is no column ID.",
            "Export the gradebook in Canvas, and choose that file.",
        )
    titles = _their_titles(theirs.header[len(identity) :])
    finder = _Finder.of(book.rows)
    header: Row = [*identity, *(titles.get(_plain(column.title), column.title) for column in book.columns)]
    rows: list[Row] = [header, _possible(len(identity), book.columns)]
    met: set[str] = set()
    strangers: list[str] = []
    for line in theirs.rows:
        cells = dict(zip(keys, line.cells, strict=False))
        if not cells.get("id"):
            continue  # the points possible and other lines that are nobody
        found = finder.find(cells)
        if found is None:
            strangers.append(line.cells[0])
            continue
        met.add(found.student.login)
        rows.append([*_identity(line, len(identity)), *_grades(found)])
    return rows, Unmatched(
        not_in_canvas=tuple(row.student.login for row in book.rows if row.student.login not in met),
        only_in_canvas=tuple(strangers),
        new_assignments=tuple(c.title for c in book.columns if _plain(c.title) not in titles),
    )


def _their_titles(header: Sequence[str]) -> Mapping[str, str]:
    """Canvas's own headers by the title in them."""
    return {
        _plain(match["title"]): name for name in header if (match := _WITH_ID.fullmatch(name)) is not None
    }


def _identity(line: Line, count: int) -> list[str]:
    cells = list(line.cells[:count])
    return cells + [""] * (count - len(cells))


def _possible(width: int, columns: Sequence[Column]) -> Row:
    return [_POINTS, *[None] * (width - 1), *(decimal(column.max_score, places=PLACES) for column in columns)]


def _grades(row: GradebookRow) -> list[str]:
    return [decimal(cell.points, places=PLACES) for cell in row.cells]


def _aliases(student: Student) -> tuple[str, ...]:
    return (student.login, student.email) if student.email else (student.login,)


def _sortable(name: str) -> str:
    first, _, last = name.rpartition(" ")
    return f"{last}, {first}" if first else name


def _plain(title: str) -> str:
    return " ".join(title.casefold().split())
