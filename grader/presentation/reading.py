"""Evidence is written by many hands: reading it must never fail, whatever is missing or of another kind.

Each function takes any JSON value and gives the wanted kind, bounded in size and inert, or a neutral one.
"""

from __future__ import annotations

import math
from collections.abc import Mapping

from grader.domain.results import JsonValue
from grader.domain.text import head_and_tail, one_line, printable

LINE_LIMIT = 300
BLOCK_LIMIT = 8_000
ITEM_LIMIT = 64
_DEEPEST = 8


def line_of(value: JsonValue, *, limit: int = LINE_LIMIT) -> str:
    """One inert line; empty for nothing."""
    return "" if value is None else one_line(_text(value, limit), limit)


def block_of(value: JsonValue, *, limit: int = BLOCK_LIMIT) -> str:
    """Several inert lines, head and tail of what is too long."""
    return "" if value is None else printable(head_and_tail(_text(value, limit), limit)).rstrip("\n")


def number_of(value: JsonValue) -> float | None:
    """A finite number, else None."""
    if isinstance(value, bool) or not isinstance(value, int | float):
        return None
    try:
        found = float(value)
    except OverflowError:
        return None
    return found if math.isfinite(found) else None


def whole_of(value: JsonValue) -> int | None:
    """A whole number of a reasonable size, else None."""
    found = number_of(value)
    return int(found) if found is not None and abs(found) < 2**53 and found == int(found) else None


def items_of(value: JsonValue) -> list[JsonValue]:
    """The first items of a list; empty for anything else."""
    return value[:ITEM_LIMIT] if isinstance(value, list) else []


def numbers_of(value: JsonValue) -> list[float]:
    """The finite numbers of a list."""
    return [number for item in items_of(value) if (number := number_of(item)) is not None]


def mapping_of(value: JsonValue) -> Mapping[str, JsonValue]:
    """A mapping; empty for anything else."""
    return value if isinstance(value, Mapping) else {}


def grid_of(value: JsonValue, *, size: int = 12) -> list[list[JsonValue]]:
    """At most `size` rows and columns of an array: a number is one cell, a vector one row.

    The matrices of deeper nests are put below each other.
    """
    rows = [_as_row(value)]
    for _ in range(_DEEPEST):
        if not any(isinstance(cell, list) for row in rows for cell in row):
            break
        rows = [_as_row(inner) for row in rows for inner in row][: size * size]
    return [row[:size] for row in rows[:size]]


def _as_row(value: JsonValue) -> list[JsonValue]:
    return value if isinstance(value, list) else [value]


def cell_of(value: JsonValue) -> str:
    """One entry of an array, with six digits at most."""
    if isinstance(value, float):
        return f"{value:.6g}"
    return line_of(value, limit=24)


def _text(value: JsonValue, limit: int, depth: int = 0) -> str:
    if isinstance(value, str):
        return value
    if isinstance(value, int) and not isinstance(value, bool) and value.bit_length() > limit * 3:
        return "a very large integer"
    if isinstance(value, list | Mapping) and depth == _DEEPEST:
        return "…"
    if isinstance(value, list):
        return ", ".join(_text(item, limit, depth + 1) for item in value[:ITEM_LIMIT])
    if isinstance(value, Mapping):
        pairs = list(value.items())[:ITEM_LIMIT]
        return ", ".join(f"{key}: {_text(item, limit, depth + 1)}" for key, item in pairs)
    return str(value)
