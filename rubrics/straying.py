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
from dataclasses import replace

import jax

from grader.domain.errors import EngineFault
from grader.engine import trees
from grader.engine.candidate.transforms import Transform, chained, stepped
from grader.engine.questions import Tracing
from grader.engine.session import SubmissionEnded, SubmissionRaised
from rubrics.comparing import Result
from rubrics.drawing import Case
from rubrics.failures import CheckFailed
from rubrics.landmarks import Landmarks
from rubrics.origins import origin_of_nan, origin_of_type
from rubrics.source import Spot
from rubrics.subject import Subject
from rubrics.ways import Step, Way, read_way

_MOVES = frozenset(
    {"broadcast_in_dim", "reshape", "squeeze", "expand_dims", "convert_element_type", "copy", "transpose"}
)
"""Operations that only hand numbers on: right if what they were given is."""

_UNCLEAR = (SubmissionRaised, SubmissionEnded, CheckFailed, EngineFault, ValueError, LookupError)
"""What it means that there is no way to look at, or one that was forged: no line is named."""


def parting(mine: Way, theirs: Landmarks, *, after_agreement: bool = False) -> str | None:
    """The place where `mine` leaves the solution's way; None if there is none, or more than one.

    All wrong results are followed together, and if that leads to several places, the first alone that leads
    to one. With `after_agreement`, only if the two have some computed array in common: results that may
    rightly differ are often got in ways that have nothing to do with each other. Nor does it mean anything
    that keys or draws are others.
    """
    right = _right(mine, theirs)
    if after_agreement and not any(theirs.has(step.value) for step in mine.steps if not _uses_input(step)):
        return None
    wrong = [position for position in mine.result if position is not None and not right[position]]
    for results in (wrong, *([position] for position in wrong)):
        last = list(_last_right(mine, right, results))
        if any(map(_draws, last)):
            return None
        place = _common_place(last, _familiar(mine, theirs))
        if place:
            return place
    return None


def line_of_fault(
    subject: Subject, case: Case, *, after_agreement: bool = False, under: Transform | None = None
) -> Spot | None:
    """The submitted line where a case's values part from the reference's; None where that is unclear.

    With `under`, the values of both under that transformation.
    """
    with suppress(*_UNCLEAR):
        theirs = subject.reference.landmarks(subject.inputs(case), under=under)
        if theirs is None:
            return None
        place = parting(own_way(subject, case, under=under), theirs, after_agreement=after_agreement)
        return spot_of(subject, place)
    return None


def line_of_number(subject: Subject, case: Case, result: Result, leaf: int) -> Spot | None:
    """The submitted line where a leaf of a result, whose numbers are wrong, goes wrong; None where unclear.

    Where it is made is what is not a number, if it holds such, or where the ways part, or, if it is an array
    that the solution makes, too, only not as its result, where it is made.
    """
    with suppress(*_UNCLEAR):
        theirs = subject.reference.landmarks(subject.inputs(case))
        if theirs is None:
            return None
        way = own_way(subject, case)
        position = way.result[_order(result).index(leaf)]
        nan = None if position is None else origin_of_nan(way, position)
        place = nan or parting(way, theirs)
        if place is None and position is not None and theirs.has(way.steps[position].value):
            place = way.steps[position].place
        return spot_of(subject, place)
    return None


def line_of_type(subject: Subject, case: Case, result: Result, leaf: int) -> Spot | None:
    """The submitted line where a leaf of a result gets its type; None where that is unclear."""
    with suppress(*_UNCLEAR):
        way = own_way(subject, case)
        position = way.result[_order(result).index(leaf)]
        return None if position is None else spot_of(subject, origin_of_type(way, position))
    return None


def _order(result: Result) -> list[int]:
    """Indices of a result's leaves in the order in which JAX flattens it: of dicts sorted by their keys."""
    positions = [replace(leaf, shape=(index,)) for index, leaf in enumerate(result.leaves)]
    indices: list[int] = jax.tree.leaves(
        trees.unpack(result.structure, positions, lambda leaf: leaf.shape[0])
    )
    return indices


def spot_of(subject: Subject, place: str | None) -> Spot | None:
    """A place on a way as a line of the submission; None if it is none."""
    file, _, line = (place or "").rpartition(":")
    known = line.isdigit() and any(file == each.name for each in subject.session.files.files)
    return Spot(file=file, line=int(line)) if known else None


def own_way(subject: Subject, case: Case, *, under: Transform | None = None) -> Way:
    """The way of the submission's function, perhaps transformed. ValueError where it tells none."""
    how = stepped() if under is None else chained([under, stepped()])
    call = subject.session.traced(subject.name, subject.inputs(case), how=Tracing(transform=how))
    return read_way(
        Result(structure=call.structure, leaves=subject.outputs(call, [subject.flat(case, call)])[0])
    )


def _last_right(mine: Way, right: Sequence[bool], results: Sequence[int]) -> Iterator[Step]:
    """The steps on the way to wrong `results` that make a wrong array of right ones."""
    waiting, seen = list(results), set[int]()
    while waiting:
        position = waiting.pop()
        if right[position] or position in seen:
            continue
        seen.add(position)
        wrong = [use for use in mine.steps[position].uses if isinstance(use, int) and not right[use]]
        waiting += wrong
        if not wrong:
            yield mine.steps[position]


def _common_place(steps: Sequence[Step], familiar: frozenset[str]) -> str | None:
    """The line that all steps stand on; their loop's, if there are several, or it is not a `familiar` one."""
    lines = {step.place if step.loop in familiar else step.loop for step in steps}
    loops = {step.loop or step.place for step in steps}
    return next((places.pop() for places in (lines, loops) if len(places) == 1), None)


def _familiar(mine: Way, theirs: Landmarks) -> frozenset[str]:
    """Loops in whose rounds something is computed that the solution computes, and what is outside of loops.

    Where the solution goes another way altogether, what stands inside of a loop says nothing.
    """
    computed = (step for step in mine.steps if step.loop and step.operation not in _MOVES and step.uses)
    return frozenset({"", *(step.loop for step in computed if theirs.has(step.value))})


def _uses_input(step: Step) -> bool:
    return any(isinstance(use, str) for use in step.uses)


def _draws(step: Step) -> bool:
    return step.operation.startswith(("random_", "threefry", "rng_"))


def _right(mine: Way, theirs: Landmarks) -> list[bool]:
    """For each step, whether its array is one of the solution's, or as good as one."""
    constant: list[bool] = []
    right: list[bool] = []
    for step in mine.steps:
        constant.append(all(isinstance(use, int) and constant[use] for use in step.uses))
        handed_on = step.operation in _MOVES and all(isinstance(use, str) or right[use] for use in step.uses)
        right.append(constant[-1] or handed_on or theirs.has(step.value))
    return right
