"""How answers of a server look on a terminal: tables, moments, points; strangers' text is inert."""

from __future__ import annotations

import textwrap
from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime
from zoneinfo import ZoneInfo

from rich import box
from rich.table import Table
from rich.text import Text

from grader.cli.output import answers
from grader.domain.errors import InvalidInput
from grader.domain.moments import moment_text
from grader.domain.text import one_line, printable
from grader.domain.zones import zone_named
from grader.presentation.legible import Legible

LONGEST_CELL = 120
LONGEST_LINE = 2000
LONGEST_TEXT = 8000


def say(line: str, *, indent: int = 0) -> None:
    """One line of an answer, as plain text."""
    answers().print(Text(" " * indent + one_line(line, LONGEST_LINE)), soft_wrap=True)


def say_text(text: str) -> None:
    """Lines by people, below what they are about."""
    answers().print(Text(textwrap.indent(printable(text, limit=LONGEST_TEXT), "    ")), soft_wrap=True)


def say_facts(facts: Mapping[str, object]) -> None:
    """Facts with their names, below each other."""
    width = max(len(name) for name in facts)
    for name, value in facts.items():
        answers().print(Text(f"{name:{width}}  {one_line(str(value), LONGEST_LINE)}"), soft_wrap=True)


def show_table(headings: Sequence[str], rows: Iterable[Sequence[object]], *, empty: str) -> None:
    """Rows below headings; `empty` is said where there are none. A None is an empty cell."""
    listed = [[_cell(value) for value in row] for row in rows]
    if not listed:
        say(empty)
        return
    table = Table(box=box.SIMPLE_HEAD, pad_edge=False, show_edge=False)
    for place, heading in enumerate(headings):
        # The first column is what people type next; it stays in one piece.
        table.add_column(heading, overflow="fold", no_wrap=place == 0)
    for row in listed:
        table.add_row(*row)
    answers().print(Legible(table))


def points_words(points: float | None) -> str:
    """Points to two decimals; a dash where nothing is graded.

    >>> points_words(3.0), points_words(1.6667), points_words(None)
    ('3', '1.67', '-')
    """
    if points is None:
        return "-"
    return f"{points:.2f}".rstrip("0").rstrip(".")


def change_words(delta: float | None) -> str:
    """A change of points with its sign.

    >>> change_words(1.5), change_words(-2.0), change_words(0.0)
    ('+1.5', '-2', '0')
    """
    words = points_words(delta)
    return f"+{words}" if delta is not None and delta > 0 else words


def about_words(about: str) -> str:
    """What something is about; empty means all of it.

    >>> about_words(""), about_words("Each row has mean 0.")
    ('the submission as a whole', 'Each row has mean 0')
    """
    return about.rstrip(".") or "the submission as a whole"


def zone_of(name: str | None) -> ZoneInfo:
    """The zone that a server names; UTC where this machine does not know it."""
    try:
        return zone_named(name or "UTC")
    except InvalidInput:
        return ZoneInfo("UTC")


def when(moment: datetime | None, zone: ZoneInfo, *, never: str = "-") -> str:
    """A moment on a course's clock."""
    return never if moment is None else moment_text(moment, zone)


def _cell(value: object) -> Text:
    return Text("" if value is None else one_line(str(value), LONGEST_CELL))
