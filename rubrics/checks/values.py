"""Values: the exported program against the reference on inputs the submission never saw, failing closed."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, TypeVar

import numpy as np
import numpy.typing as npt

from grader.domain.results import JsonValue
from grader.engine import trees
from grader.engine.protocol import LeafKind
from grader.engine.session import SubmissionEnded, SubmissionRaised
from rubrics import conditioning, explaining, staleness, straying
from rubrics.comparing import Difference, Result, Tolerance, difference
from rubrics.describing import result_in_words
from rubrics.drawing import Case
from rubrics.failures import CheckFailed, SuiteMisused
from rubrics.reference import CourseFunction
from rubrics.source import Spot
from rubrics.specs import Given
from rubrics.subject import Subject

AnyArray = npt.NDArray[Any]
_Answer = TypeVar("_Answer")

_NUMBERS = frozenset({"values.differ", "values.not_finite"})
_DISCARDING_CODES = frozenset({"values.differ", "values.returns_none", "values.not_finite"})

DISCARDED = "values.discarded_update"
NOT_AS_ASKED = "values.not_as_asked"
"""Says what came back and what an author's predicate demands."""


def matches(
    subject: Subject,
    reference: CourseFunction,
    cases: Sequence[Case],
    *,
    tolerance: Tolerance,
    conditioned: bool = False,
) -> None:
    """The results for all cases are those of the reference, also of a function that keeps something.

    What such a function kept may be wrong for a later call, so each case is called again with other values.
    If `conditioned`, the tolerance has room for what rounding the inputs does to the reference's result.
    """

    def right(case: Case) -> tuple[Result, Sequence[AnyArray | None]]:
        slack = conditioning.slack(reference, case) if conditioned else ()
        return reference.result(case.inputs(subject.static)), slack

    subject.foresee(cases, right)
    results = subject.results(cases)
    if subject.remembers():
        cases = [*cases, *(other for case in cases for other in (*case.in_part_again(), case.again()))]
        results = subject.plain_results(cases)
    for case, actual in (*zip(cases, results, strict=True), *subject.confirmed(cases)):
        expected, slack = right(case)
        found = difference(actual, expected, tolerance=tolerance, slack=slack)
        if found is None:
            continue
        spot = staleness.static_argument(subject, case, expected, tolerance=tolerance)
        if spot is not None:
            evidence = (*found.evidence, subject.describe(case))
            raise subject.failed("jit.stale_static", {}, spot=spot, evidence=evidence)
        raise explained(subject, case, actual, found)


def satisfies(
    subject: Subject,
    predicate: Callable[..., bool],
    cases: Sequence[Case],
    *,
    code: str,
    says: str,
) -> None:
    """``predicate(args, result)``, on NumPy values in the examiner, is true for all cases."""
    subject.foresee(cases)
    results = zip(cases, subject.results(cases), strict=True)
    for case, found in (*results, *subject.confirmed(cases)):
        result = as_numpy(found)
        args = tuple(as_numpy_argument(arg) for arg in case.args)
        if not asked(subject, lambda: predicate(args, result)):  # noqa: B023 - called at once
            if code == NOT_AS_ASKED and (thrown := _thrown_away(subject, case)) is not None:
                raise subject.failed(DISCARDED, {}, spot=thrown, evidence=(subject.describe(case),))
            spot = straying.line_of_fault(subject, case, after_agreement=True)
            spot = spot or subject.source.returns(subject.name)
            params: dict[str, JsonValue] = {"says": says, "found": result_in_words(found)}
            raise subject.failed(code, params, spot=spot, evidence=(subject.describe(case),))


def asked(subject: Subject, question: Callable[[], _Answer]) -> _Answer:
    """What an author's function says of a result; a failure that it raises gets the line that returned it."""
    try:
        return question()
    except CheckFailed as exc:
        if exc.spot is not None:
            raise
        spot = subject.source.returns(subject.name)
        raise subject.failed(
            exc.feedback.code, exc.feedback.params, spot=spot, evidence=exc.evidence
        ) from exc


def explained(subject: Subject, case: Case, actual: Result, found: Difference) -> CheckFailed:
    """The difference as a failure; a thrown-away update is named as the cause where there is one."""
    evidence = (*found.evidence, subject.describe(case))
    if found.code in _DISCARDING_CODES and _discards(subject, case):
        spot = subject.source.discarded_update(subject.name)
        return subject.failed(DISCARDED, {}, spot=spot, evidence=evidence)
    spot, leaf = subject.source.returns(subject.name), found.leaf
    if found.code == "values.wrong_dtype" and leaf is not None:
        made = straying.line_of_type(subject, case, actual, leaf)
        spot = made or subject.source.casts(subject.name) or spot
    elif found.code in _NUMBERS and leaf is not None:
        parts = straying.line_of_number(subject, case, actual, leaf)
        if parts is not None:
            step = explaining.line_of(subject.session.files, parts.file, parts.line)
            return subject.failed(found.code, {**found.params, "step": step}, spot=parts, evidence=evidence)
    return subject.failed(found.code, found.params, spot=spot, evidence=evidence)


def _thrown_away(subject: Subject, case: Case) -> Spot | None:
    """The line of an update that the program computes for nothing, if there is one in the text, too."""
    spot = subject.source.discarded_update(subject.name)
    return spot if spot is not None and _discards(subject, case) else None


def _discards(subject: Subject, case: Case) -> bool:
    try:
        traced = subject.session.traced(subject.name, subject.inputs(case))
    except (SubmissionRaised, SubmissionEnded):
        return False
    return traced.discarded > 0


def as_numpy(result: Result) -> Any:  # noqa: ANN401 - a tree of NumPy arrays
    """A result as a tree of NumPy arrays, for an author's function. Typed keys are opaque 8-byte items."""
    return trees.unpack(
        result.structure, result.leaves, lambda leaf: _array(leaf.array, typed_key=leaf.impl_is_key)
    )


def as_numpy_argument(value: Any) -> Any:  # noqa: ANN401 - a tree of arguments
    """A case's argument in the same form."""
    if isinstance(value, Given):
        return _array(value.array, typed_key=value.kind is LeafKind.KEY)
    if isinstance(value, dict):
        return {name: as_numpy_argument(child) for name, child in value.items()}
    if isinstance(value, list | tuple):
        return [as_numpy_argument(child) for child in value]
    return value


def _array(array: AnyArray | None, *, typed_key: bool) -> AnyArray:
    if array is None:
        raise SuiteMisused("a result without values cannot be looked at")
    return np.ascontiguousarray(array).view("V8")[..., 0] if typed_key else array
