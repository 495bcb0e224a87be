"""Exact points as numbers for programs; the server keeps and compares the fractions."""

from __future__ import annotations

from fractions import Fraction
from typing import overload

DECIMALS = 4


@overload
def points(value: Fraction) -> float: ...
@overload
def points(value: None) -> None: ...
@overload
def points(value: Fraction | None) -> float | None: ...
def points(value: Fraction | None) -> float | None:
    """Points, or a share, to four decimals.

    >>> points(Fraction(5, 3)), points(None)
    (1.6667, None)
    """
    return None if value is None else float(round(value, DECIMALS))
