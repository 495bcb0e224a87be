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

from grader.engine.candidate.transforms import stepped
from grader.engine.questions import Tracing
from grader.engine.session import SubmissionEnded, SubmissionRaised
from rubrics.comparing import Result
from rubrics.drawing import Case
from rubrics.failures import CheckFailed
from rubrics.landmarks import Landmarks
from rubrics.source import Spot
from rubrics.subject import Subject
from rubrics.ways import INPUT, Step, Way, read_way

_MOVES = frozenset(
    {"broadcast_in_dim", "reshape", "squeeze", "expand_dims", "convert_element_type", "copy", "transpose"}
)
"""Operations that only hand numbers on: right if what they were given is."""


def parting(mine: Way, theirs: Landmarks, *, after_agreement: bool = False) -> str | None:
    """The place where `mine` leaves the solution's way; None if there is none, or more than one.

    With `after_agreement`, only if the two have some computed array in common: results that may rightly
    differ are often got in ways that have nothing to do with each other. Nor does it mean anything that keys
    or draws are others.
    """
    right = _right(mine, theirs)
    if after_agreement and not any(theirs.has(step.value) for step in mine.steps if INPUT not in step.uses):
        return None
    last = list(_last_right(mine, right))
    places = {step.place for step in last}
    return None if len(places) != 1 or any(_draws(step) for step in last) else places.pop() or None


def line_of_fault(subject: Subject, case: Case, *, after_agreement: bool = False) -> Spot | None:
    """The submitted line where a case's values part from the reference's; None where that is unclear."""
    with suppress(SubmissionRaised, SubmissionEnded, CheckFailed, ValueError):
        theirs = subject.reference.landmarks(subject.inputs(case))
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


def _right(mine: Way, theirs: Landmarks) -> list[bool]:
    """For each step, whether its array is one of the solution's, or as good as one."""
    constant: list[bool] = []
    right: list[bool] = []
    for step in mine.steps:
        constant.append(all(isinstance(use, int) and constant[use] for use in step.uses))
        handed_on = step.operation in _MOVES and all(use == INPUT or right[int(use)] for use in step.uses)
        right.append(constant[-1] or handed_on or theirs.has(step.value))
    return right
