"""Where a wrong result leaves the right way: the line that makes of right arrays one that the solution lacks.

A wrong number shows where it is returned, and is made elsewhere. So the submission's program and the solution
are run once more on one input, each giving every array on its way. Going back from a wrong result, through
arrays that the solution never makes, ends at operations whose operands it does make. If all of these stand on
one line, that line is where the two part. A right computation in another order parts somewhere, too, and
comes back: then several lines are found, and none is named.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from grader.engine import trees
from grader.engine.candidate.transforms import stepped
from grader.engine.questions import Tracing
from grader.engine.session import SubmissionEnded, SubmissionRaised
from rubrics.comparing import Result
from rubrics.drawing import Case
from rubrics.failures import CheckFailed
from rubrics.source import Spot
from rubrics.subject import Subject

AnyArray = npt.NDArray[Any]

_MOVES = frozenset(
    {"broadcast_in_dim", "reshape", "squeeze", "expand_dims", "convert_element_type", "copy", "transpose"}
)
"""Operations that only hand numbers on: right if what they were given is."""

_RTOL = 1e-4


INPUT = "x"
"""Stands for an input among the uses of an array."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Step:
    """An array on the way to a result, and how it came about."""

    value: AnyArray
    operation: str
    place: str
    """``file:line`` of the submitted statement; empty if none is known."""
    uses: tuple[int | str, ...]
    """Positions of other steps, or `INPUT`."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Way:
    """All arrays on the way to a result, in the order in which they are made."""

    given: tuple[AnyArray, ...]
    steps: tuple[Step, ...]
    result: tuple[int, ...]
    """Positions of the steps that are returned."""


def read_way(result: Result) -> Way:
    """The way that a function under `stepped` told. ValueError if it is malformed, as a forged one may be."""
    found = trees.unpack(result.structure, result.leaves, lambda leaf: leaf.array)
    if not isinstance(found, dict) or not all(isinstance(part, list) for part in found.values()):
        raise ValueError("not a way")
    steps: list[Step] = []
    for about, *values in found.get("steps", ()):
        operation, place, uses = str(about).split("|")
        names = tuple(name if name == INPUT else int(name) for name in uses.split(",") if name)
        if any(name != INPUT and not 0 <= int(name) < len(steps) for name in names):
            raise ValueError("a step uses what comes after it")
        steps += [Step(value=_array(each), operation=operation, place=place, uses=names) for each in values]
    returned = tuple(int(name) for name in found.get("result", ()) if name not in ("", INPUT))
    if any(not 0 <= position < len(steps) for position in returned):
        raise ValueError("a result that no step made")
    return Way(given=tuple(map(_array, found.get("given", ()))), steps=tuple(steps), result=returned)


def parting(mine: Way, theirs: Way, *, after_agreement: bool = False) -> str | None:
    """The place where `mine` leaves `theirs`; None if there is none, or more than one.

    With `after_agreement`, only if the two have some computed array in common: results that may rightly
    differ are often got in ways that have nothing to do with each other. Nor does it mean anything that keys
    or draws are others.
    """
    known = _Known([*theirs.given, *(step.value for step in theirs.steps)])
    right = _right(mine, known)
    if after_agreement and not any(known.has(step.value) for step in mine.steps if INPUT not in step.uses):
        return None
    last = list(_last_right(mine, right))
    places = {step.place for step in last}
    return None if len(places) != 1 or any(_draws(step) for step in last) else places.pop() or None


def line_of_fault(subject: Subject, case: Case, *, after_agreement: bool = False) -> Spot | None:
    """The submitted line where a case's values part from the reference's; None where that is unclear."""
    with suppress(SubmissionRaised, SubmissionEnded, CheckFailed, ValueError):
        theirs = _course_way(subject, case)
        if theirs is None:
            return None
        place = parting(_own_way(subject, case), theirs, after_agreement=after_agreement)
        file, _, line = (place or "").rpartition(":")
        if any(file == each.name for each in subject.session.files.files):
            return Spot(file=file, line=int(line))
    return None


def _own_way(subject: Subject, case: Case) -> Way:
    call = subject.session.traced(subject.name, subject.inputs(case), how=Tracing(transform=stepped()))
    return read_way(
        Result(structure=call.structure, leaves=subject.outputs(call, [subject.flat(case, call)])[0])
    )


def _course_way(subject: Subject, case: Case) -> Way | None:
    try:
        return read_way(subject.reference.under(stepped()).result(case.inputs(subject.static)))
    except Exception:  # noqa: BLE001 - a course function may be one that cannot be traced
        return None


class _Known:
    """The solution's arrays, by size."""

    def __init__(self, arrays: Sequence[AnyArray]) -> None:
        self._by_size: dict[int, list[AnyArray]] = {}
        for array in arrays:
            self._by_size.setdefault(array.size, []).append(_comparable(array))

    def has(self, array: AnyArray) -> bool:
        """Whether an array, or its negative, is among them, whatever axes of size 1 it has."""
        value = _comparable(array)
        return any(_equal(value, other) for other in self._by_size.get(value.size, ()))


def _last_right(mine: Way, right: Sequence[bool]) -> Iterator[Step]:
    """The steps on a wrong result's way that make a wrong array of right ones."""
    waiting, seen = list(mine.result), set[int]()
    while waiting:
        position = waiting.pop()
        if right[position] or position in seen:
            continue
        seen.add(position)
        wrong = [use for use in mine.steps[position].uses if isinstance(use, int) and not right[use]]
        waiting += wrong
        if not wrong:
            yield mine.steps[position]


def _draws(step: Step) -> bool:
    return step.operation.startswith(("random_", "threefry", "rng_"))


def _right(mine: Way, known: _Known) -> list[bool]:
    """For each step, whether its array is one of the solution's, or as good as one."""
    constant: list[bool] = []
    right: list[bool] = []
    for step in mine.steps:
        constant.append(all(isinstance(use, int) and constant[use] for use in step.uses))
        handed_on = step.operation in _MOVES and all(use == INPUT or right[int(use)] for use in step.uses)
        right.append(constant[-1] or handed_on or known.has(step.value))
    return right


def _array(value: object) -> AnyArray:
    if not isinstance(value, np.ndarray):
        raise ValueError("not an array")  # noqa: TRY004 - malformed, like the rest
    return value


def _comparable(array: AnyArray) -> AnyArray:
    """Without axes of size 1, in a type in which everything can be subtracted."""
    plain = np.squeeze(array)
    return plain.astype(np.complex128 if plain.dtype.kind == "c" else np.float64)


def _equal(one: AnyArray, other: AnyArray) -> bool:
    if one.shape != other.shape:
        return False
    scale = float(np.max(np.abs(other), initial=0.0, where=np.isfinite(other)))
    return any(
        np.allclose(value, other, rtol=_RTOL, atol=_RTOL * scale, equal_nan=True) for value in (one, -one)
    )
