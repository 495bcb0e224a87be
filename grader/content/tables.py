"""Tables as spreadsheets save them: some encoding, some delimiter, the header where they please."""

from __future__ import annotations

import codecs
import csv
import io
from collections.abc import Iterator
from dataclasses import dataclass

from grader.content.limits import MIB, size
from grader.domain.errors import InvalidInput

MOST_BYTES = 5 * MIB
MOST_ROWS = 20_000
_DELIMITERS = (",", ";", "\t")
_MARKS = (
    (codecs.BOM_UTF8, "utf-8"),
    (codecs.BOM_UTF16_LE, "utf-16-le"),
    (codecs.BOM_UTF16_BE, "utf-16-be"),
)
_MOSTLY = 0.6


@dataclass(frozen=True, slots=True, kw_only=True)
class Line:
    """One row with the number of the line on which it ends, counted from 1."""

    number: int
    cells: tuple[str, ...]

    @property
    def blank(self) -> bool:
        return not any(self.cells)


@dataclass(frozen=True, slots=True, kw_only=True)
class Table:
    """A header and rows, cells without blanks around them; rows may be shorter or longer than the header."""

    header: tuple[str, ...]
    rows: tuple[Line, ...]
    delimiter: str


def read_table(data: bytes, *, field: str = "file") -> Table:
    """The table in the bytes of a CSV file; InvalidInput names `field` where there is none."""
    if len(data) > MOST_BYTES:
        raise InvalidInput(field, f"it is larger than {size(MOST_BYTES)}.", "Leave out what is no roster.")
    text = decode_table(data, field=field)
    delimiter, text = _delimiter(text)
    lines = [line for line in _lines(text, delimiter, field) if not line.blank]
    if not lines:
        raise InvalidInput(field, "it is empty.", "Choose a CSV file whose first line names the columns.")
    if len(lines) > MOST_ROWS:
        raise InvalidInput(field, f"it has more than {MOST_ROWS:,} lines.")
    return Table(header=lines[0].cells, rows=tuple(lines[1:]), delimiter=delimiter)


def decode_table(data: bytes, *, field: str = "file") -> str:
    """Text of a table: UTF-8, UTF-16 or Windows-1252, NUL left out; line ends as they are."""
    for mark, codec in _MARKS:
        if data.startswith(mark):
            return data[len(mark) :].decode(codec, "replace").replace("\0", "")
    half = max(len(data) // 2, 1)
    if data[1::2].count(0) > _MOSTLY * half:
        return data.decode("utf-16-le", "replace").replace("\0", "")
    try:
        return data.decode("utf-8").replace("\0", "")
    except UnicodeDecodeError:
        pass
    if data.startswith(b"PK\x03\x04"):
        raise InvalidInput(field, "it is a spreadsheet, or a zip.", "Save it as CSV and choose that file.")
    return data.decode("cp1252", "replace").replace("\0", "")


def _delimiter(text: str) -> tuple[str, str]:
    """What separates cells, by the first line that is not blank, and the text without Excel's own hint."""
    body = text.lstrip("\r\n \ufeff")
    first = body.partition("\n")[0].strip("\r")
    if first.lower().startswith("sep=") and len(first) == len("sep=") + 1:
        # The hint's line stays, empty, so that lines keep their numbers.
        return first[-1], text.replace(first, "", 1)
    outside = "".join(first.split('"')[::2])
    best = max(_DELIMITERS, key=outside.count)
    return best, text


def _lines(text: str, delimiter: str, field: str) -> Iterator[Line]:
    reader = csv.reader(io.StringIO(text, newline=""), delimiter=delimiter)
    try:
        for row in reader:
            yield Line(number=reader.line_num, cells=tuple(cell.strip().strip("\ufeff") for cell in row))
    except csv.Error as error:
        raise InvalidInput(field, f"line {reader.line_num} cannot be read: {error}.") from error
