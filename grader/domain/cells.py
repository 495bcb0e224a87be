"""Lines of a notebook's code, counted the way its author sees them: cell by cell.

A notebook reaches the grader as one Python text in which a comment, ``# %% cell 3``, stands before each code
cell (editors that know the "percent format" show the cells again). Where a line lies can be told from that
text alone, so nothing else has to be stored.
"""

from __future__ import annotations

import re
from typing import NamedTuple

NOTEBOOK_SUFFIX = ".ipynb"

_MARKER = re.compile(r"# %% cell ([1-9][0-9]{0,6})")


class CellLine(NamedTuple):
    """A place in a notebook: the code cell (Markdown cells not counted) and the line in it, both 1-based."""

    cell: int
    line: int

    def __str__(self) -> str:
        return f"cell {self.cell}, line {self.line}"


def cell_marker(number: int) -> str:
    """The comment that opens a code cell in the joined text."""
    return f"# %% cell {number}"


def is_cell_marker(line: str) -> bool:
    """Whether a line is such a comment, and nothing but that."""
    return _MARKER.fullmatch(line) is not None


def locate(text: str, line: int) -> CellLine | None:
    """Where a 1-based line of the joined text lies; None outside the text or before the first cell.

    A marker itself counts as line 1 of its cell, so that every line of a notebook has a place.
    """
    lines = text.split("\n")
    if not 1 <= line <= len(lines):
        return None
    for index in range(line - 1, -1, -1):
        if marker := _MARKER.fullmatch(lines[index]):
            return CellLine(int(marker.group(1)), max(line - 1 - index, 1))
    return None


def describe_line(name: str, text: str, line: int) -> str:
    r"""How to speak of a line of a submitted file: "line 12", or "cell 3, line 2" in a notebook.

    >>> describe_line("hw.ipynb", "# %% cell 1\nx = 1\n", 2), describe_line("hw.py", "x = 1\n", 1)
    ('cell 1, line 1', 'line 1')
    """
    place = locate(text, line) if name.lower().endswith(NOTEBOOK_SUFFIX) else None
    return str(place) if place else f"line {line}"
