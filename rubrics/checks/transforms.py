"""Transformations: the gradient is the reference's, and a mapped call equals calls row by row."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from grader.domain.results import JsonValue
from grader.engine.candidate.transforms import Transform, gradient, mapped_over
from grader.engine.protocol import Leaf
from grader.engine.session import SubmissionRaised, TracedCall
from rubrics.checks.jit import AGREEMENT
from rubrics.comparing import Result, Tolerance, difference
from rubrics.drawing import Case
from rubrics.failures import SuiteMisused
from rubrics.reference import CourseFunction
from rubrics.subject import Subject


def gradient_matches(
    subject: Subject, reference: CourseFunction, cases: Sequence[Case], *, wrt: int, tolerance: Tolerance
) -> None:
    """``jax.grad`` of the sum of the results, with respect to argument `wrt`, is the reference's."""
    for case in cases:
        actual = _result(subject, case, gradient(wrt=wrt))
        expected = reference.under(gradient(wrt=wrt)).result(case.inputs(subject.static))
        found = difference(actual, expected, tolerance=tolerance)
        if found is None:
            continue
        argument = subject.parameters[wrt] if wrt < len(subject.parameters) else str(wrt)
        evidence = (*found.evidence, subject.describe(case))
        spot = subject.source.returns(subject.name)
        params: dict[str, JsonValue] = {"argument": argument}
        if found.code == "values.not_finite":
            raise subject.failed("transforms.gradient_not_finite", params, spot=spot, evidence=evidence)
        params["worst"] = found.params.get("worst")
        raise subject.failed("transforms.wrong_gradient", params, spot=spot, evidence=evidence)


def maps_over(subject: Subject, cases: Sequence[Case], *, mapped: Sequence[int]) -> None:
    """`jax.vmap` over the first axis of the arguments at `mapped` equals a call for each row."""
    for case in cases:
        together = _result(subject, case, mapped_over(*mapped))
        rows = case.rows(mapped)
        if not rows:
            raise SuiteMisused("maps_over needs a case with at least one row")
        one = subject.traced(rows[0])
        outputs = subject.outputs(one, [subject.flat(row, one) for row in rows])
        apart = Result(
            structure=one.structure, leaves=[_stacked(parts) for parts in zip(*outputs, strict=True)]
        )
        found = difference(together, apart, tolerance=AGREEMENT)
        if found is not None:
            spot = subject.source.returns(subject.name)
            params: dict[str, JsonValue] = {"where": found.params.get("where")}
            raise subject.failed("transforms.vmap_differs", params, spot=spot, evidence=found.evidence)


def _result(subject: Subject, case: Case, transform: Transform) -> Result:
    """The transformed function's values, of its exported program."""
    try:
        traced: TracedCall = subject.session.traced(subject.name, subject.inputs(case), transform=transform)
    except SubmissionRaised as exc:
        raise subject.raised(exc) from exc
    leaves = subject.outputs(traced, [subject.flat(case, traced)])[0]
    return Result(structure=traced.structure, leaves=leaves)


def _stacked(parts: Sequence[Leaf]) -> Leaf:
    """One leaf of all rows' leaves."""
    first = parts[0]
    arrays = [part.array for part in parts if part.array is not None]
    return Leaf.of(np.stack(arrays), kind=first.kind, impl=first.impl)
