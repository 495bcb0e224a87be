"""Values: the exported program against the reference on inputs the submission never saw, failing closed."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from enum import StrEnum
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

NOT_AS_ASKED = "values.not_as_asked"
"""Says what came back and what an author's predicate demands."""

SAME_DRAWS: Mapping[str, JsonValue] = {
    "statistic": "what different keys give",
    "found": "the same numbers for every key",
    "expected": "other numbers for each",
}

REALLY_DRAWN = 12
"""Cases whose draws are judged by real calls, each of which takes as long as dozens of runs of a program."""
FOURTH_MOMENT = "fourth moment"
SIGMAS = 6.0
"""How many standard errors a statistic of right draws may lie off: a false alarm in about 10^9."""


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
        raise explained(subject, case, found)


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
        if not _asked(subject, lambda: predicate(args, result)):  # noqa: B023 - called at once
            spot = straying.line_of_fault(subject, case, after_agreement=True)
            spot = spot or subject.source.returns(subject.name)
            params: dict[str, JsonValue] = {"says": says, "found": result_in_words(found)}
            raise subject.failed(code, params, spot=spot, evidence=(subject.describe(case),))


def _asked(subject: Subject, question: Callable[[], _Answer]) -> _Answer:
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


class Shape(StrEnum):
    """Which distributions count as right."""

    NORMAL = "normal"
    ANY = "any"
    """Any of this mean and variance."""


def draws_normal(
    subject: Subject,
    cases: Sequence[Case],
    *,
    steps: Callable[[Any], AnyArray],
    mean: float,
    std: float,
    shape: Shape,
) -> None:
    """``steps(result)``, over all cases together, are independent draws of one normal distribution.

    Code that might tell how it is called has to draw so in some real calls, too, in two worlds. Two runs may
    differ: where the randomness comes from is for other checks to say.
    """
    _judge_draws(subject, cases, subject.results(cases), steps=steps, mean=mean, std=std, shape=shape)
    if subject.source.telltale(subject.name) is not None:
        some = cases[:REALLY_DRAWN]
        for results in (subject.plain_results(some), [subject.abroad(case) for case in some]):
            # Of few draws the fourth moment lies far off too often.
            _judge_draws(subject, some, results, steps=steps, mean=mean, std=std, shape=Shape.ANY)


def _judge_draws(
    subject: Subject,
    cases: Sequence[Case],
    results: Sequence[Result],
    *,
    steps: Callable[[Any], AnyArray],
    mean: float,
    std: float,
    shape: Shape,
) -> None:
    samples = [
        np.asarray(_asked(subject, lambda: steps(as_numpy(result))), np.float64).ravel()  # noqa: B023 - as above
        for result in results
    ]
    if all(case.has_key for case in cases) and _repeats(samples):
        raise subject.failed("values.distribution", dict(SAME_DRAWS), spot=_origin_of_draws(subject))
    flat = np.concatenate(samples)
    if not np.isfinite(flat).all():
        raise subject.failed(
            "values.not_finite", {"count": int((~np.isfinite(flat)).sum()), "size": flat.size}
        )
    for statistic, found, expected, off in _statistics((flat - mean) / std, samples, mean, std):
        if off > SIGMAS and not (shape is Shape.ANY and statistic == FOURTH_MOMENT):
            raise subject.failed(
                "values.distribution",
                {"statistic": statistic, "found": f"{found:.3g}", "expected": f"{expected:.3g}"},
                spot=subject.source.draws(subject.name),
            )


def _repeats(samples: Sequence[AnyArray]) -> bool:
    """Whether every case, each with a key of its own, gave the same draws."""
    first = samples[0]
    return len(samples) > 1 and first.size > 0 and all(np.array_equal(first, other) for other in samples[1:])


def _origin_of_draws(subject: Subject) -> Spot | None:
    """Where the key is made that takes the place of the caller's, else where draws are made."""
    return subject.source.makes_key(subject.name) or subject.source.draws(subject.name)


def _statistics(
    scaled: AnyArray, samples: Sequence[AnyArray], mean: float, std: float
) -> list[tuple[str, float, float, float]]:
    """(name, found, expected, distance in standard errors) of each statistic looked at."""
    size = scaled.size
    root = np.sqrt(size)
    paired = np.concatenate([(part[:-1] - mean) * (part[1:] - mean) / std**2 for part in samples])
    correlation = float(paired.mean()) if paired.size else 0.0
    kurtosis = float((scaled**4).mean())
    return [
        ("mean", float(scaled.mean() * std + mean), mean, abs(float(scaled.mean())) * root),
        (
            "variance",
            float(scaled.var()) * std**2,
            std**2,
            abs(float((scaled**2).mean()) - 1) * root / np.sqrt(2),
        ),
        ("correlation of neighbours", correlation, 0.0, abs(correlation) * np.sqrt(max(paired.size, 1))),
        (FOURTH_MOMENT, kurtosis, 3.0, abs(kurtosis - 3.0) * root / np.sqrt(96)),
        (
            "number of repeated draws",
            size - np.unique(scaled).size,
            0.0,
            SIGMAS * (size - np.unique(scaled).size) / 8,
        ),
    ]


def explained(subject: Subject, case: Case, found: Difference) -> CheckFailed:
    """The difference as a failure; a thrown-away update is named as the cause where there is one."""
    evidence = (*found.evidence, subject.describe(case))
    if found.code in _DISCARDING_CODES and _discards(subject, case):
        spot = subject.source.discarded_update(subject.name)
        return subject.failed("values.discarded_update", {}, spot=spot, evidence=evidence)
    spot = subject.source.returns(subject.name)
    if found.code == "values.wrong_dtype":
        spot = subject.source.casts(subject.name) or spot
    elif found.code in _NUMBERS and (parts := straying.line_of_fault(subject, case)) is not None:
        step = explaining.line_of(subject.session.files, parts.file, parts.line)
        return subject.failed(found.code, {**found.params, "step": step}, spot=parts, evidence=evidence)
    return subject.failed(found.code, found.params, spot=spot, evidence=evidence)


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
