"""The arrays on a function's way to its result, as a function under `stepped` tells them."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np
import numpy.typing as npt

from grader.domain.errors import ProtocolViolation
from grader.engine import trees
from rubrics.comparing import Result

AnyArray = npt.NDArray[Any]

INPUT = "x"
"""Begins the name of an input among the uses of an array: ``x0`` is the first one given."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Step:
    """An array on the way to a result, and how it came about."""

    value: AnyArray
    operation: str
    place: str
    """``file:line`` of the submitted statement; empty if none is known."""
    uses: tuple[int | str, ...]
    """Positions of other steps, or names of inputs. A loop uses what goes in, and what its rounds give."""
    loop: str = ""
    """Place of the outermost loop of whose rounds it is a part."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Way:
    """All arrays on the way to a result, in the order in which they are made."""

    given: tuple[AnyArray, ...]
    steps: tuple[Step, ...]
    result: tuple[int | None, ...]
    """For each array that is returned the position of its step; None for one that no step made."""


def read_way(result: Result) -> Way:
    """The way that a function under `stepped` told. ValueError if it is malformed, as a forged one may be."""
    try:
        return _read_way(result)
    except (TypeError, LookupError, AttributeError, OverflowError, ProtocolViolation) as exc:
        raise ValueError("not a way") from exc


def _read_way(result: Result) -> Way:
    found = trees.unpack(result.structure, result.leaves, lambda leaf: leaf.array)
    if not isinstance(found, dict) or not all(isinstance(part, list) for part in found.values()):
        raise ValueError("not a way")
    steps: list[Step] = []
    for about, *values in found.get("steps", ()):
        operation, place, uses, loop = str(about).split("|")
        names = tuple(map(_use, filter(None, uses.split(","))))
        if any(isinstance(name, int) and not 0 <= name < len(steps) for name in names):
            raise ValueError("a step uses what comes after it")
        made = partial(Step, operation=operation, place=place, uses=names, loop=loop)
        steps += [made(value=_array(each)) for each in values]
    returned = tuple(
        None if not name or name.startswith(INPUT) else int(name) for name in found.get("result", ())
    )
    if any(position is not None and not 0 <= position < len(steps) for position in returned):
        raise ValueError("a result that no step made")
    return Way(given=tuple(map(_array, found.get("given", ()))), steps=tuple(steps), result=returned)


def _use(name: str) -> int | str:
    return name if name.startswith(INPUT) else int(name)


def _array(value: object) -> AnyArray:
    if not isinstance(value, np.ndarray):
        raise ValueError("not an array")  # noqa: TRY004 - malformed, like the rest
    return value
