"""Exported files as values, and the one place where cells of a CSV are written."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from fractions import Fraction

from grader.domain.text import csv_cell

CSV_TYPE = "text/csv; charset=utf-8"
ZIP_TYPE = "application/zip"
JSON_TYPE = "application/json"


@dataclass(frozen=True, slots=True, kw_only=True)
class ExportedFile:
    """A file for download."""

    name: str
    media_type: str
    data: bytes


def csv_bytes(rows: Iterable[Sequence[str | None]]) -> bytes:
    """Rows as UTF-8 CSV, every cell quoted, none of them a formula to any spreadsheet; None is empty."""
    out = io.StringIO(newline="")
    writer = csv.writer(out, quoting=csv.QUOTE_ALL, lineterminator="\r\n")
    for row in rows:
        writer.writerow(["" if cell is None else csv_cell(cell) for cell in row])
    return out.getvalue().encode("utf-8", "backslashreplace")


def decimal(points: Fraction | None, *, places: int = 4) -> str:
    """Points as a decimal number with at most so many places; empty for None.

    >>> decimal(Fraction(7, 2)), decimal(Fraction(1, 3), places=2), decimal(Fraction(100)), decimal(None)
    ('3.5', '0.33', '100', '')
    """
    if points is None:
        return ""
    text = f"{float(round(points, places)):.{places}f}"
    return text.rstrip("0").rstrip(".") if "." in text else text
