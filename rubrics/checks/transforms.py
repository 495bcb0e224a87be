"""Transformations: gradients are right, mapped calls equal calls row by row, a scan equals its steps."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
import numpy.typing as npt

from grader.domain.results import JsonValue
from grader.engine import trees
from grader.engine.candidate.transforms import Transform, chained, gradient, mapped_over, scanned
from grader.engine.protocol import Leaf
from grader.engine.session import SubmissionRaised, TracedCall, Tracing
from rubrics import straying
from rubrics.checks import jit
from rubrics.checks.jit import AGREEMENT
from rubrics.comparing import Difference, Result, Tolerance, difference
from rubrics.drawing import Case
from rubrics.failures import CheckFailed, SuiteMisused
from rubrics.oracles import GradientOracle
from rubrics.subject import Subject


def gradient_matches(
    subject: Subject,
    oracle: GradientOracle,
    cases: Sequence[Case],
    *,
    wrt: int,
    per_example: Mapping[int, int],
    tolerance: Tolerance,
) -> None:
    """``jax.grad`` of the sum of the results, with respect to argument `wrt`, is the oracle's.

    With `per_example`, positions of arguments and their axes of examples, there is a gradient for each row.
    """
    for case in cases:
        if per_example:
            how = chained([gradient(wrt=wrt), mapped_over(per_example)])
            expected = stacked([_right(subject, oracle, row, wrt) for row in _rows(case, per_example)])
        else:
            how, expected = gradient(wrt=wrt), _right(subject, oracle, case, wrt)
        subject.foresee_way(case, under=how)
        found = difference(_result(subject, case, how), expected, tolerance=tolerance)
        if found is not None:
            raise _wrong_gradient(subject, case, wrt, found, how=how)


def _right(subject: Subject, oracle: GradientOracle, case: Case, wrt: int) -> Result:
    """The oracle's gradient, which is asked for as an answer of the solution: it may be known already."""
    inputs, which = subject.inputs(case), type(oracle).__name__
    return subject.reference.answered("gradient", inputs, lambda: oracle.gradient(case, wrt=wrt), which, wrt)


def _wrong_gradient(
    subject: Subject, case: Case, wrt: int, found: Difference, *, how: Transform
) -> CheckFailed:
    evidence = (*found.evidence, subject.describe(case))
    spot = (
        subject.source.calls(subject.name, *_HIDING)
        or straying.line_of_fault(subject, case, under=how)
        or subject.source.returns(subject.name)
    )
    params: dict[str, JsonValue] = {"argument": _argument(subject, wrt)}
    if found.code == "values.not_finite":
        return subject.failed("transforms.gradient_not_finite", params, spot=spot, evidence=evidence)
    params["worst"] = found.params.get("worst")
    return subject.failed("transforms.wrong_gradient", params, spot=spot, evidence=evidence)


_HIDING = (
    "jax.lax.stop_gradient", "jax.numpy.round", "jax.numpy.rint", "jax.numpy.floor", "jax.numpy.ceil",
    "jax.numpy.sign", "jax.numpy.argmax", "jax.numpy.argmin",
)  # fmt: skip
"""Calls whose derivative is zero: named first where a gradient is wrong."""


def can_be_differentiated(subject: Subject, cases: Sequence[Case], *, wrt: int) -> None:
    """`jax.grad` works, is finite everywhere, and is not zero for all cases together."""
    arrays: list[npt.NDArray[np.float64]] = []
    for case in cases:
        for leaf in _result(subject, case, gradient(wrt=wrt)).leaves:
            assert leaf.array is not None  # noqa: S101 - results of programs have values
            arrays.append(np.asarray(leaf.array, np.float64))
    params: dict[str, JsonValue] = {"argument": _argument(subject, wrt)}
    if not all(np.isfinite(array).all() for array in arrays):
        spot = subject.source.returns(subject.name)
        raise subject.failed("transforms.gradient_not_finite", params, spot=spot)
    if not any(array.any() for array in arrays):
        spot = subject.source.calls(subject.name, *_HIDING) or subject.source.returns(subject.name)
        raise subject.failed("transforms.no_gradient", params, spot=spot)


def maps_over(subject: Subject, cases: Sequence[Case], *, axes: Mapping[int, int]) -> None:
    """`jax.vmap` over these axes of the arguments at these positions equals a call for each row."""
    for case in cases:
        together = _result(subject, case, mapped_over(axes))
        rows = _rows(case, axes)
        one = subject.traced(rows[0])
        outputs = subject.outputs(one, [subject.flat(row, one) for row in rows])
        apart = stacked([Result(structure=one.structure, leaves=leaves) for leaves in outputs])
        found = difference(together, apart, tolerance=AGREEMENT)
        if found is not None:
            spot = subject.source.returns(subject.name)
            params: dict[str, JsonValue] = {"where": found.params.get("where")}
            raise subject.failed("transforms.vmap_differs", params, spot=spot, evidence=found.evidence)


def can_be_scanned(subject: Subject, cases: Sequence[Case]) -> None:
    """`jax.lax.scan` with the function as its body equals as many calls, each given the last one's carry.

    A case is what the scan takes: the first carry, the inputs of all steps, and what stays the same.
    """
    for case in cases:
        steps = _rows(case, {1: 0})
        jit.carries_in_scan(subject, steps[:1], carry=0, result=0)
        together = _result(subject, case, scanned())
        found = difference(together, _stepped(subject, steps), tolerance=AGREEMENT)
        if found is not None:
            spot = subject.source.returns(subject.name)
            params: dict[str, JsonValue] = {"where": found.params.get("where"), "steps": len(steps)}
            raise subject.failed("transforms.scan_differs", params, spot=spot, evidence=found.evidence)


def _stepped(subject: Subject, steps: Sequence[Case]) -> Result:
    """What a scan returns, found by one run of the body's program after the other."""
    body = subject.traced(steps[0])
    if body.structure["t"] != "tuple" or len(body.structure["c"]) != 2:  # noqa: PLR2004 - carry and output
        raise subject.failed("jit.scan_pair", {}, spot=subject.source.returns(subject.name))
    goes_in = _indices(subject.inputs(steps[0]).structure["c"][0]["c"][0])
    comes_out = _indices(body.structure["c"][0])
    carry: list[Leaf] | None = None
    results: list[Sequence[Leaf]] = []
    for step in steps:
        leaves = list(subject.flat(step, body))
        for position, leaf in zip(goes_in, carry or [leaves[each] for each in goes_in], strict=True):
            leaves[position] = leaf
        results.append(subject.outputs(body, [leaves])[0])
        carry = [results[-1][position] for position in comes_out]
    last = results[-1]
    joined = [
        last[position] if position in comes_out else _stacked([result[position] for result in results])
        for position in range(len(last))
    ]
    return Result(structure=body.structure, leaves=joined)


def _indices(node: trees.Node) -> list[int]:
    return sorted(trees.leaf_paths(node))


def _argument(subject: Subject, wrt: int) -> str:
    return subject.parameters[wrt] if wrt < len(subject.parameters) else str(wrt)


def _rows(case: Case, axes: Mapping[int, int]) -> list[Case]:
    rows = case.rows(axes)
    if not rows:
        raise SuiteMisused("the arrays to map over need the same number of rows, and at least one")
    return rows


def _result(subject: Subject, case: Case, transform: Transform) -> Result:
    """The transformed function's values, of its exported program."""
    try:
        traced: TracedCall = subject.session.traced(
            subject.name, subject.inputs(case), how=Tracing(transform=transform)
        )
    except SubmissionRaised as exc:
        raise subject.raised(exc) from exc
    leaves = subject.outputs(traced, [subject.flat(case, traced)])[0]
    return Result(structure=traced.structure, leaves=leaves)


def stacked(results: Sequence[Result]) -> Result:
    """Results of all rows as one, whose leaves have an axis of rows in front."""
    columns = zip(*(result.leaves for result in results), strict=True)
    return Result(structure=results[0].structure, leaves=[_stacked(parts) for parts in columns])


def _stacked(parts: Sequence[Leaf]) -> Leaf:
    first = parts[0]
    arrays = [part.array for part in parts if part.array is not None]
    return Leaf.of(np.stack(arrays), kind=first.kind, impl=first.impl)
