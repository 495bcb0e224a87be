"""Plain values as strict JSON: no NaN, no infinity, no tuples; points exact."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import asdict
from fractions import Fraction

from grader.domain.results import Environment, Evidence, JsonValue
from grader.domain.submission import Notice

WRITTEN_BITS = 10_000
"""Longer integers are written in hexadecimal, as text: Python refuses to write them in decimal."""

JsonObject = dict[str, JsonValue]


def strict(value: object) -> JsonValue:
    """The value with tuples as lists and numbers that are not finite as their names.

    >>> strict({"worst": float("nan"), "shape": (2, 3)})
    {'worst': 'nan', 'shape': [2, 3]}
    """
    if isinstance(value, float) and not math.isfinite(value):
        return str(value)
    if isinstance(value, int) and value.bit_length() > WRITTEN_BITS:
        return hex(value)
    if isinstance(value, Mapping):
        return {str(key): strict(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [strict(item) for item in value]
    if value is None or isinstance(value, str | int | float):
        return value
    return str(value)


def exact(points: Fraction) -> int | str:
    """Points without loss: an integer, or "numerator/denominator".

    >>> exact(Fraction(3)), exact(Fraction(7, 2))
    (3, '7/2')
    """
    return points.numerator if points.denominator == 1 else f"{points.numerator}/{points.denominator}"


def number(points: Fraction | None) -> int | float | None:
    """Points as programs expect them: an integer where they are whole, else the nearest float."""
    if points is None:
        return None
    return points.numerator if points.denominator == 1 else float(points)


def environment_json(environment: Environment) -> JsonValue:
    """Where an attempt ran."""
    return strict(asdict(environment))


def notices_json(notices: tuple[Notice, ...]) -> JsonValue:
    """What the author should know about the upload."""
    return [strict(asdict(notice)) for notice in notices]


def evidence_json(evidence: tuple[Evidence, ...]) -> JsonValue:
    """The facts behind a verdict."""
    return [{"kind": item.kind.value, "data": strict(item.data)} for item in evidence]
