"""Where an array on a way gets what it should not have: its type, or entries that are not numbers."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import numpy as np
import numpy.typing as npt

from rubrics.ways import AnyArray, Step, Way


def origin_of_type(way: Way, position: int) -> str | None:
    """The place where the array at a position gets its type: out of nothing, or of arrays of other types.

    None if there is none, since an input is of that type, or more than one.
    """
    dtype = way.steps[position].value.dtype
    return _origin(way, position, lambda array: array.dtype == dtype, makes=_makes_strong)


def origin_of_nan(way: Way, position: int) -> str | None:
    """The place where entries that are not numbers come into the array at a position, made of numbers.

    None if there are none, if they came in with an input, or at more than one place. Infinity, of which
    many a mask is made, is a number here.
    """
    return _origin(way, position, _has_nan, makes=lambda _: False)


def _makes_strong(step: Step) -> bool:
    """Whether an input gets a type that it does not have yet, or has as a mere Python number."""
    return step.operation == "convert_element_type"


def _has_nan(array: AnyArray) -> bool:
    if array.dtype.kind in "biu" or array.dtype.names is not None:
        return False
    plain: npt.NDArray[np.complex128] = array.astype(np.complex128)
    return bool(np.isnan(plain).any())


def _origin(
    way: Way, position: int, has: Callable[[AnyArray], bool], *, makes: Callable[[Step], bool]
) -> str | None:
    """The only place where what `has` tells comes in.

    There it is made of nothing, of arrays without it, or of an input by a step that `makes` it in any case.
    """
    if not has(way.steps[position].value):
        return None
    waiting, seen, places = [position], set[int](), set[str]()
    while waiting:
        position = waiting.pop()
        if position in seen:
            continue
        seen.add(position)
        step = way.steps[position]
        earlier = [use for use in step.uses if isinstance(use, int) and has(way.steps[use].value)]
        # A number written beside an array takes on its type.
        arrays = [use for use in earlier if way.steps[use].uses or way.steps[use].place != step.place]
        waiting += arrays or earlier
        if not earlier and (makes(step) or not any(map(has, _inputs(way, step)))):
            places.add(step.place)
    return places.pop() if len(places) == 1 else None


def _inputs(way: Way, step: Step) -> Iterator[AnyArray]:
    """The inputs that a step uses."""
    return (way.given[int(use[1:])] for use in step.uses if isinstance(use, str))
