"""How far right results may lie apart where a problem is ill-conditioned.

A right program may round its inputs' last bit either way. What that does to the reference's result, computed
in float64, is what no program can be blamed for.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import jax.numpy as jnp
import numpy as np
import numpy.typing as npt

from grader.engine.candidate.conditions import Condition
from grader.engine.protocol import LeafKind
from rubrics.comparing import Result
from rubrics.drawing import Case
from rubrics.failures import SuiteMisused
from rubrics.reference import CourseFunction
from rubrics.specs import Given

Floats = npt.NDArray[np.float64]

NUDGES = 4
"""Different roundings of the inputs that are tried."""
ROOM = 8.0
"""How many times the largest effect seen is forgiven: an algorithm rounds more often than once."""
HOPELESS = 0.1
"""Share of a result's size beyond which no tolerance would judge anything."""


def slack(reference: CourseFunction, case: Case) -> list[Floats | None]:
    """For each leaf of the result the room to add to its tolerance; None for one that is compared exactly.

    SuiteMisused where rounding alone can change a result by a tenth.
    """
    middle = _wide(reference, case.widened())
    rng = np.random.default_rng(0)
    others = [_wide(reference, _nudged(case, rng)) for _ in range(NUDGES)]
    return [_room([array, *(other[index] for other in others)]) for index, array in enumerate(middle)]


def _wide(reference: CourseFunction, case: Case) -> list[Floats | None]:
    result: Result = reference.result(case.inputs(reference.static), conditions=(Condition.X64,))
    return [
        np.asarray(leaf.array, np.float64)
        if leaf.array is not None and jnp.issubdtype(leaf.array.dtype, jnp.floating)
        else None
        for leaf in result.leaves
    ]


def _nudged(case: Case, rng: np.random.Generator) -> Case:
    """The widened case with each number moved by the last bit of the type that it was drawn in."""

    def moved(given: Given) -> Given:
        if given.kind is LeafKind.KEY or not jnp.issubdtype(given.array.dtype, jnp.floating):
            return given
        wide = given.array.astype(np.float64)
        one = np.ones((), given.array.dtype)
        last_bit = float(np.nextafter(one, one + one) - one)
        return replace(given, array=wide * (1 + last_bit * rng.choice((-1.0, 1.0), wide.shape)))

    return case.changed(moved)


def _room(arrays: Sequence[Floats | None]) -> Floats | None:
    middle = arrays[0]
    others = [other for other in arrays[1:] if other is not None]
    if middle is None or len(others) != NUDGES:
        return None
    with np.errstate(invalid="ignore"):
        gaps = np.max([np.abs(other - middle) for other in others], axis=0)
    room: Any = ROOM * np.where(np.isfinite(gaps), gaps, 0.0)
    size = np.max(np.abs(middle), initial=0.0, where=np.isfinite(middle))
    if np.max(room, initial=0.0) > HOPELESS * size:
        raise SuiteMisused(
            "rounding the inputs can change the reference's result by more than a tenth of its size, so "
            "that no program can be judged by it; draw inputs that are less extreme"
        )
    return np.asarray(room, np.float64)
