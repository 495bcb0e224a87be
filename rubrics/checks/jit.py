"""Tracing and speed: the function becomes one program, once, whose size does not follow the input's."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence

from grader.domain.errors import ProgramRefused
from grader.domain.results import Evidence, EvidenceKind, JsonValue
from grader.engine.bench.answers import ProgramFacts
from grader.engine.protocol import Leaf, LeafKind
from grader.engine.session import EagerCall, SubmissionRaised
from rubrics.comparing import Result, Tolerance, canonical, difference
from rubrics.drawing import Case
from rubrics.failures import CheckFailed, SuiteMisused
from rubrics.programs import exported, program_inputs
from rubrics.source import CALLBACKS, Spot
from rubrics.subject import Subject

AGREEMENT = Tolerance(atol=1e-4, rtol=1e-3, at_least_own=True)
"""How far a traced program may lie from the plain call: they round differently."""

SPECIALISATIONS = 4
"""Traces within one call that equal types may have: a static argument is for a few settings, no counter."""

GROWTH_EXPONENT = 0.5
"""Programs whose size follows n to a power above this grow; log n in a library stays far below."""

GROWTH_PER_STEP = 1.5
"""With two sizes only: operations per unit of n above which a program grows. A loop body has two or more."""


def traces(subject: Subject, cases: Sequence[Case]) -> None:
    """Works under `jax.jit`, without host callbacks, and agrees with the plain call."""
    for case in cases:
        traced = subject.traced(case)
        if traced.callbacks:
            spot = subject.source.calls(subject.name, *CALLBACKS)
            raise subject.failed("jit.callback", {"call": traced.callbacks[0]}, spot=spot)
        compiled = Result(
            structure=traced.structure,
            leaves=subject.outputs(traced, [subject.flat(case, traced)])[0],
        )
        found = difference(compiled, _plain(subject, case), tolerance=AGREEMENT)
        if found is not None:
            spot = subject.source.calls(subject.name, "isinstance") or subject.source.definition(subject.name)
            raise subject.failed("jit.disagrees", {}, spot=spot, evidence=found.evidence)


def _plain(subject: Subject, case: Case) -> Result:
    if subject.source.telltale(subject.name) is not None:
        return subject.really(case)
    try:
        call = subject.plain(case)
    except SubmissionRaised as exc:
        raise subject.raised(exc) from exc
    if isinstance(call, EagerCall):
        return Result(structure=call.structure, leaves=call.leaves)
    return Result(structure=call.structure, leaves=subject.outputs(call, [()])[0])


def traces_once(subject: Subject, cases: Sequence[Case]) -> None:
    """Nothing that the submission wraps in `jax.jit` is traced anew at a second call of the same shapes.

    Nor many times within one call, for arguments of equal types: then a static one takes ever new values.
    """
    for case in cases:
        for attempt in (case, case.again(), case.again()):
            try:
                call = subject.plain(attempt, program=False)
            except SubmissionRaised as exc:
                raise subject.raised(exc) from exc
        if call.seen.traced:
            raise _retraced(subject, call.seen.traced, calls=3)
    for seen in subject.session.observed(subject.name):
        if max(seen.traced.values(), default=0) > SPECIALISATIONS:
            raise _retraced(subject, seen.traced)


def _retraced(subject: Subject, traced: Mapping[str, int], *, calls: int | None = None) -> CheckFailed:
    label, count = max(traced.items(), key=lambda item: item[1])
    evidence = Evidence(kind=EvidenceKind.TRACES, data={"calls": 1, "traces": count, "signature": label})
    params: dict[str, JsonValue] = {"traces": count}
    if calls is not None:
        params["calls"] = calls
    spot = _spot_of(label)
    if spot is not None:
        spot = subject.source.wrapping(subject.name, spot)
    return subject.failed("jit.retraced", params, spot=spot, evidence=(evidence,))


def _spot_of(label: str) -> Spot | None:
    """The place in a trace counter's label ``file:line name``."""
    place = label.partition(" ")[0]
    file, _, line = place.rpartition(":")
    return Spot(file=file, line=int(line)) if line.isdigit() and file else None


def program_does_not_grow(subject: Subject, cases: Sequence[Case]) -> None:
    """From the smallest case to the largest, the number of operations stays (about) the same.

    Three sizes tell n from log n whatever a program has besides: what counts is how the *increase* grows.
    """
    if len(cases) < 2:  # noqa: PLR2004 - growth needs two sizes
        raise SuiteMisused("program_does_not_grow needs at least two cases, smallest first")
    sizes = [_varying(case, cases) for case in cases]
    ops = [_ops(subject, case) for case in cases]
    points: list[JsonValue] = [{"n": n, "ops": count} for n, count in zip(sizes, ops, strict=True)]
    if _grows(sizes, ops):
        params: dict[str, JsonValue] = {
            "small": sizes[0], "large": sizes[-1], "ops_small": ops[0], "ops_large": ops[-1],
        }  # fmt: skip
        evidence = Evidence(kind=EvidenceKind.PROGRAM_SIZE, data={"points": points})
        spot = subject.source.loop(subject.name)
        raise subject.failed("jit.program_grows", params, spot=spot, evidence=(evidence,))


def _grows(sizes: Sequence[int], ops: Sequence[int]) -> bool:
    last = ops[-1] - ops[-2]
    if len(ops) == 2 or ops[-2] <= ops[-3]:  # noqa: PLR2004 - two sizes, or no increase to compare with
        return last > GROWTH_PER_STEP * (sizes[-1] - sizes[-2])
    exponent = math.log(max(last, 1) / (ops[-2] - ops[-3])) / math.log(sizes[-1] / sizes[-2])
    return exponent > GROWTH_EXPONENT


def _varying(case: Case, cases: Sequence[Case]) -> int:
    """The size that grows from case to case: the largest number of this one that differs from the others'."""
    columns = zip(*(other.sizes() for other in cases), strict=False)
    changing = [position for position, column in enumerate(columns) if len(set(column)) > 1]
    if not changing:
        raise SuiteMisused("program_does_not_grow needs cases of different sizes")
    return max(1, *(case.sizes()[position] for position in changing))


def needs_at_most(
    subject: Subject, cases: Sequence[Case], *, elements: int | None, steps: int | None
) -> None:
    """No value in the program has more than `elements` elements; its loops take at most `steps` in all."""
    for case in cases:
        facts = _facts(subject, case)
        if elements is not None and facts.largest_elements > elements:
            params: dict[str, JsonValue] = {"elements": facts.largest_elements, "limit": elements}
            spot = subject.source.broadcasts(subject.name) or subject.source.returns(subject.name)
            raise subject.failed("jit.large_temporary", params, spot=spot)
        taken = facts.sequential_steps
        if steps is not None and (taken is None or taken > steps):
            params = {"steps": "an unknown number of" if taken is None else taken, "limit": steps}
            raise subject.failed("jit.many_steps", params, spot=subject.source.structured_loop(subject.name))


def carries_in_scan(subject: Subject, cases: Sequence[Case], *, carry: int, result: int | None) -> None:
    """Fits `jax.lax.scan` as its body: the carry comes out with the structure, shapes and dtypes it had.

    `carry` is the position of that argument, `result` that of its successor in a returned tuple (None: the
    whole result).
    """
    for case in cases:
        inputs, traced = subject.inputs(case), subject.traced(case)
        given = inputs.structure["c"][0]["c"][carry]
        found = traced.structure
        if result is not None:
            parts = found.get("c", ()) if found["t"] == "tuple" else ()
            found = parts[result] if result < len(parts) else {"t": "const", "v": None}
        before = Result(structure=given, leaves=[_shape_of(leaf) for leaf in program_inputs(inputs)])
        after = Result(structure=found, leaves=[_shape_of(leaf) for leaf in traced.leaves])
        if difference(after, before, tolerance=AGREEMENT) is not None:
            raise subject.failed("jit.scan_carry", {}, spot=subject.source.returns(subject.name))


def _shape_of(leaf: Leaf) -> Leaf:
    impl = leaf.impl if leaf.impl_is_key else None
    return Leaf(kind=LeafKind.ABSTRACT, dtype=canonical(leaf.dtype), shape=leaf.shape, impl=impl)


def _ops(subject: Subject, case: Case) -> int:
    return max(_facts(subject, case).ops, 1)


def _facts(subject: Subject, case: Case) -> ProgramFacts:
    traced = subject.traced(case)
    try:
        return subject.session.inspect(subject.name, exported(traced))
    except ProgramRefused as exc:
        raise subject.refused(exc) from exc
