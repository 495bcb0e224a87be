"""The student's source, line by line, ready to be shown: inert, coloured, with marks where feedback points.

Colours follow Python's own tokenizer as far as it gets; from a line that it cannot read on, text stays plain.
"""

from __future__ import annotations

import io
import keyword
import tokenize
import warnings
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from grader.domain.cells import NOTEBOOK_SUFFIX, is_cell_marker, locate
from grader.domain.submission import SourceFile
from grader.domain.text import printable
from grader.presentation.remarks import Remark

MOST_LINES = 4_000
LINE_LIMIT = 600
COLOURED_LIMIT = 200_000
"""Characters up to which a file is coloured."""

_STRINGS = {"STRING", "FSTRING_START", "FSTRING_MIDDLE", "FSTRING_END"}
_DEFINING = {"def", "class"}


@dataclass(frozen=True, slots=True, kw_only=True)
class Piece:
    """A run of characters in one style; an empty style is plain."""

    text: str
    style: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Note:
    """Feedback that points at a line: the anchor of its check, and its title."""

    anchor: str
    title: str
    times: int = 1
    """How many checks say the same of the line; the anchor is the first one's."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Line:
    """One line. `number` is 1-based in the file, `label` is how its author counts."""

    number: int
    label: str
    pieces: tuple[Piece, ...]
    notes: tuple[Note, ...] = ()
    remarks: tuple[Remark, ...] = ()
    marked: bool = False

    @property
    def text(self) -> str:
        return "".join(piece.text for piece in self.pieces)


@dataclass(frozen=True, slots=True, kw_only=True)
class Listing:
    """One file; `left_out` counts lines beyond the limit."""

    name: str
    lines: tuple[Line, ...]
    left_out: int = 0

    def around(self, line: int, *, margin: int = 2) -> tuple[Line, ...]:
        """The line, marked, with its neighbours; empty if there is no such line.

        In a notebook neighbours end at the borders of the cell.
        """
        if not 1 <= line <= len(self.lines):
            return ()
        first, last = max(line - margin, 1), min(line + margin, len(self.lines))
        borders = [item.number for item in self.lines[first - 1 : last] if self._is_border(item)]
        first = max([first, *(number + 1 for number in borders if number < line)])
        last = min([last, *(number - 1 for number in borders if number > line)])
        while first < line and not self.lines[first - 1].text.strip():
            first += 1
        while last > line and not self.lines[last - 1].text.strip():
            last -= 1
        return tuple(
            Line(number=item.number, label=item.label, pieces=item.pieces, marked=item.number == line)
            for item in self.lines[first - 1 : last]
        )

    def _is_border(self, line: Line) -> bool:
        return self.name.lower().endswith(NOTEBOOK_SUFFIX) and is_cell_marker(line.text)


def line_count(file: SourceFile) -> int:
    """How many of its lines a listing shows."""
    return min(len(_texts(file)), MOST_LINES)


def listing_of(
    file: SourceFile,
    notes: Mapping[int, Sequence[Note]],
    *,
    remarks: Mapping[int, Sequence[Remark]] | None = None,
) -> Listing:
    """The file's lines with the notes and the remarks that belong to them (by 1-based line)."""
    texts = _texts(file)
    said = remarks or {}
    shown = texts[:MOST_LINES]
    spans = _spans(file.text) if len(file.text) <= COLOURED_LIMIT else {}
    lines = tuple(
        Line(
            number=number,
            label=label,
            pieces=_inert(_pieces(text, spans.get(number, ()))),
            notes=tuple(notes.get(number, ())),
            remarks=tuple(said.get(number, ())),
            marked=number in notes,
        )
        for number, (text, label) in enumerate(zip(shown, _labels(file.name, shown), strict=True), start=1)
    )
    return Listing(name=file.name, lines=lines, left_out=len(texts) - len(shown))


def _texts(file: SourceFile) -> list[str]:
    return file.text.removesuffix("\n").split("\n")


def _labels(name: str, texts: Sequence[str]) -> Iterator[str]:
    """Each line's number; in a notebook "3:2" is line 2 of cell 3; the line that opens a cell has none."""
    notebook = name.lower().endswith(NOTEBOOK_SUFFIX)
    cell, opened = 0, 0
    for number, text in enumerate(texts, start=1):
        if notebook and (place := locate(text, 1)):
            cell, opened = place.cell, number
            yield ""
            continue
        yield f"{cell}:{max(number - opened, 1)}" if cell else str(number)


Span = tuple[int, int, str]
"""Columns from and to, and the style between them."""


def _spans(text: str) -> Mapping[int, Sequence[Span]]:
    """What to colour, by 1-based line."""
    spans: defaultdict[int, list[Span]] = defaultdict(list)
    lines = text.split("\n")
    before = ""
    for token in _tokens(text):
        style = _style(token, before)
        before = token.string
        if not style:
            continue
        for row in range(token.start[0], min(token.end[0], len(lines)) + 1):
            first = token.start[1] if row == token.start[0] else 0
            last = token.end[1] if row == token.end[0] else len(lines[row - 1])
            spans[row].append((first, last, style))
    return spans


def _tokens(text: str) -> Iterator[tokenize.TokenInfo]:
    """Tokens up to the first place that is not Python."""
    with warnings.catch_warnings():
        # From Python 3.12 on the tokenizer warns about odd escapes; they are their author's, not ours.
        warnings.simplefilter("ignore", SyntaxWarning)
        try:
            yield from tokenize.generate_tokens(io.StringIO(text).readline)
        except (tokenize.TokenError, SyntaxError, ValueError):
            return


def _style(token: tokenize.TokenInfo, before: str) -> str:
    kind = tokenize.tok_name[token.type]
    if kind == "COMMENT":
        return "c"
    if kind in _STRINGS:
        return "s"
    if kind == "NUMBER":
        return "n"
    if kind != "NAME":
        return ""
    if before in _DEFINING:
        return "d"
    return "k" if keyword.iskeyword(token.string) else ""


def _pieces(text: str, spans: Sequence[Span]) -> Iterator[Piece]:
    at = 0
    for first, last, style in spans:
        start, end = max(first, at), min(last, len(text))
        if start >= end:
            continue
        if start > at:
            yield Piece(text=text[at:start])
        yield Piece(text=text[start:end], style=style)
        at = end
    if at < len(text):
        yield Piece(text=text[at:])


def _inert(pieces: Iterator[Piece]) -> tuple[Piece, ...]:
    """The pieces made inert, up to the limit of characters on a line."""
    shown: list[Piece] = []
    room = LINE_LIMIT
    for piece in pieces:
        if room <= 0:
            break
        text = printable(piece.text, limit=room)
        shown.append(Piece(text=text, style=piece.style))
        room -= len(text)
    return tuple(shown)
