"""Data types: kept, not narrowed by accident, not mixed by accident, and right where 64 bits are on."""

from __future__ import annotations

from collections.abc import Sequence

from grader.domain.results import JsonValue
from grader.engine import trees
from grader.engine.candidate.conditions import Condition
from grader.engine.protocol import Leaf, LeafKind
from grader.engine.session import CallInputs, Seen, SubmissionRaised, TracedCall, Tracing
from rubrics import straying
from rubrics.comparing import Result, Tolerance, canonical, difference
from rubrics.drawing import Case
from rubrics.failures import SuiteMisused
from rubrics.reference import CourseFunction
from rubrics.source import Spot
from rubrics.subject import Subject

EXACT_IN_X64 = 1e-10
"""Default tolerance where 64-bit types are on: far above float64's rounding, far below float32's."""
UNTRACED = 4
"""An unperturbed world in which nothing was traced before: what JAX has cached, it does not warn of again."""


def keeps_dtype(subject: Subject, cases: Sequence[Case], *, of: int, result: int | None) -> None:
    """Every array of the results has the type of argument `of`.

    With `result`, only what stands at that position of a returned tuple.
    """
    for case in cases:
        expected = _dtype_of(subject, case, of)
        returned = subject.results([case])[0]
        paths = trees.leaf_paths(_part(returned, result))
        for index, path in sorted(paths.items()):
            leaf = returned.leaves[index]
            is_number = leaf.kind is LeafKind.SCALAR
            if is_number or leaf.dtype != expected:
                found = f"a Python {leaf.dtype.rstrip('0123456789')}" if is_number else leaf.dtype
                params: dict[str, JsonValue] = {
                    "found": found, "expected": expected, "where": f"the result{path}" if path else "",
                }  # fmt: skip
                spot = straying.line_of_type(subject, case, returned, index) or _casting(subject)
                raise subject.failed("dtype.wrong", params, spot=spot, evidence=(subject.describe(case),))


def _dtype_of(subject: Subject, case: Case, of: int) -> str:
    if of >= len(case.args):
        raise SuiteMisused(f"the case has no argument {of} whose type could be kept")
    inputs = subject.inputs(case)
    found = {
        inputs.leaves[index].dtype
        for index in trees.leaf_paths(inputs.structure["c"][0]["c"][of])
        if inputs.leaves[index].kind is not LeafKind.SCALAR
    }
    if len(found) != 1:
        raise SuiteMisused(f"argument {of} of the case holds no arrays, or arrays of several types")
    return canonical(found.pop())


def _part(returned: Result, position: int | None) -> trees.Node:
    node = returned.structure
    if position is None:
        return node
    parts = node.get("c", ()) if node["t"] in ("tuple", "namedtuple", "list") else ()
    return parts[position] if position < len(parts) else {"t": "const", "v": None}


def does_not_narrow(subject: Subject, cases: Sequence[Case]) -> None:
    """No step asks for a 64-bit type, which JAX would silently make narrower."""
    for case in cases:
        for file, line, asked, made in _seen(subject, case).narrowed:
            spot = Spot(file=file, line=int(line)) if line.isdigit() else None
            params: dict[str, JsonValue] = {"asked": asked, "found": made}
            raise subject.failed("dtype.narrowed", params, spot=spot)


def _seen(subject: Subject, case: Case) -> Seen:
    """What is seen while the function is traced, or really run where it cannot be."""
    inputs = subject.inputs(case)
    try:
        return subject.session.traced(subject.name, inputs, world=UNTRACED, program=False).seen
    except SubmissionRaised:
        pass
    try:
        return subject.session.eager(subject.name, inputs, world=UNTRACED).seen
    except SubmissionRaised as exc:
        raise subject.raised(exc) from exc


def promotes_explicitly(subject: Subject, cases: Sequence[Case]) -> None:
    """No two arrays of different types meet: the function works under ``numpy_dtype_promotion("strict")``."""
    for case in cases:
        subject.traced(case)  # so that only what is strict can be what fails
        try:
            _traced_under(subject, case, Condition.STRICT_PROMOTION)
        except SubmissionRaised as exc:
            failure = subject.raised(exc)
            spot = failure.spot or subject.source.returns(subject.name)
            params: dict[str, JsonValue] = {"text": failure.feedback.params.get("text")}
            raise subject.failed(
                "dtype.implicit_promotion", params, spot=spot, evidence=failure.evidence
            ) from exc


def gives_strong_types(subject: Subject, cases: Sequence[Case]) -> None:
    """No result has the weak type of a Python number, which would give way to any other array's type."""
    for case in cases:
        traced = subject.traced(case)
        for index, path in sorted(trees.leaf_paths(traced.structure).items()):
            leaf = traced.leaves[index]
            if leaf.weak or leaf.impl == "scalar":
                params: dict[str, JsonValue] = {
                    "found": leaf.dtype, "where": f"the result{path}" if path else "",
                }  # fmt: skip
                spot = subject.source.returns(subject.name)
                raise subject.failed("dtype.weak", params, spot=spot)


def is_ready_for_x64(
    subject: Subject, reference: CourseFunction, cases: Sequence[Case], *, tolerance: Tolerance
) -> None:
    """Where 64-bit types are on, float64 inputs give float64 results with float64's precision.

    Floating-point arrays of the cases are widened.
    """
    tolerance = Tolerance(
        atol=EXACT_IN_X64 if tolerance.atol is None else tolerance.atol,
        rtol=EXACT_IN_X64 if tolerance.rtol is None else tolerance.rtol,
    )
    for case in cases:
        subject.traced(case)  # so that only 64 bits can be what fails
        wide = case.widened()
        inputs = subject.inputs(wide)
        try:
            traced = _traced_under(subject, wide, Condition.X64)
        except SubmissionRaised as exc:
            raise subject.raised(exc) from exc
        outputs = subject.outputs(traced, [_as_given(inputs)])[0]
        actual = Result(structure=traced.structure, leaves=outputs)
        expected = reference.result(inputs, conditions=(Condition.X64,))
        found = difference(actual, expected, tolerance=tolerance, x64=True)
        if found is None:
            continue
        evidence = (*found.evidence, subject.describe(wide))
        spot = _casting(subject)
        if found.code == "values.wrong_dtype":
            raise subject.failed("dtype.not_wide", found.params, spot=spot, evidence=evidence)
        if found.code == "values.differ":
            params: dict[str, JsonValue] = {"worst": found.params.get("worst")}
            raise subject.failed("dtype.precision_lost", params, spot=spot, evidence=evidence)
        raise subject.failed(found.code, found.params, spot=spot, evidence=evidence)


def _traced_under(subject: Subject, case: Case, condition: Condition) -> TracedCall:
    how = Tracing(conditions=(condition,))
    return subject.session.traced(subject.name, subject.inputs(case), how=how)


def _as_given(inputs: CallInputs) -> list[Leaf]:
    """Flat inputs as a program takes them that was traced with 64-bit types on."""
    return [
        Leaf.of(leaf.array, kind=LeafKind.JAX)
        if leaf.kind is LeafKind.SCALAR and leaf.array is not None
        else leaf
        for leaf in inputs.leaves
    ]


def _casting(subject: Subject) -> Spot | None:
    return subject.source.casts(subject.name) or subject.source.returns(subject.name)
