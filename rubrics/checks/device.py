"""Devices: where results lie, and programs that give the same over several simulated devices as on one."""

from __future__ import annotations

from collections.abc import Sequence

from grader.domain.errors import ProgramFailed, ProgramRefused
from grader.domain.results import JsonValue
from grader.engine import trees
from grader.engine.layouts import MAX_DEVICES, Layout, LayoutKind, Placement
from grader.engine.session import SubmissionRaised
from rubrics import layouts
from rubrics.comparing import Result, Tolerance, difference
from rubrics.drawing import Case
from rubrics.failures import CheckFailed, SuiteMisused
from rubrics.programs import as_described, exported, program_inputs
from rubrics.reference import CourseFunction
from rubrics.subject import Subject

_PLACING = (
    "jax.device_put", "jax.make_array_from_callback", "jax.lax.with_sharding_constraint", "jax.shard_map",
    "jax.reshard",
)  # fmt: skip
"""Calls that decide where arrays lie: named first where one lies elsewhere."""
_EXCHANGING = (
    "jax.lax.psum", "jax.lax.pmean", "jax.lax.pmax", "jax.lax.pmin", "jax.lax.all_gather",
    "jax.lax.ppermute", "jax.lax.psum_scatter", "jax.shard_map",
)  # fmt: skip


def runs_over_devices(
    subject: Subject,
    reference: CourseFunction,
    cases: Sequence[Case],
    *,
    devices: int,
    given: layouts.Given,
    returns: layouts.Given,
    tolerance: Tolerance,
) -> None:
    """The program for so many devices gives the reference's values, lying as `returns` says."""
    _check_count(devices)
    for case in cases:
        wanted = _for_leaves(subject, case, given, devices)
        inputs = subject.inputs(case)
        try:
            traced = subject.session.spread(subject.name, inputs, devices=devices, layouts=wanted)
            done = subject.session.evaluate_spread(
                subject.name, exported(traced), program_inputs(inputs), wanted
            )
        except SubmissionRaised as exc:
            raise subject.raised(exc) from exc
        except ProgramRefused as exc:
            raise subject.refused(exc) from exc
        except ProgramFailed as exc:
            raise subject.gave_out(exc) from exc
        outputs = as_described(subject.name, done.outputs, traced.leaves)
        actual = Result(structure=traced.structure, leaves=outputs)
        found = difference(actual, reference.result(inputs), tolerance=tolerance)
        if found is not None:
            evidence = (*found.evidence, subject.describe(case))
            spot = subject.source.calls(subject.name, *_EXCHANGING) or subject.source.returns(subject.name)
            params: dict[str, JsonValue] = {"devices": devices, "where": found.params.get("where")}
            raise subject.failed("device.differs", params, spot=spot, evidence=evidence)
        _check_places(subject, actual, done.places, returns, devices)


def places_result(
    subject: Subject,
    cases: Sequence[Case],
    *,
    devices: int,
    given: layouts.Given,
    returns: layouts.Given,
    committed: bool | None,
) -> None:
    """A plain call among so many devices leaves its results where `returns` says.

    `committed` says whether they have to stay there when they meet other arrays; None: either will do.
    """
    _check_count(devices)
    for case in cases:
        wanted = _for_leaves(subject, case, given, devices)
        try:
            call = subject.session.placed(subject.name, subject.inputs(case), devices=devices, layouts=wanted)
        except SubmissionRaised as exc:
            raise subject.raised(exc) from exc
        result = Result(structure=call.structure, leaves=call.leaves)
        _check_places(subject, result, call.places, returns, devices)
        places = [place for place in call.places if place is not None]
        if committed is not None and any(place.committed is not committed for place in places):
            code = "device.not_committed" if committed else "device.committed"
            spot = subject.source.calls(subject.name, *_PLACING) or subject.source.returns(subject.name)
            raise subject.failed(code, {}, spot=spot)


def _check_places(
    subject: Subject,
    result: Result,
    places: Sequence[Placement | None],
    returns: layouts.Given,
    devices: int,
) -> None:
    for index, path, layout in _wanted(result, returns):
        leaf, place = result.leaves[index], places[index]
        shape = leaf.shape[:-1] if leaf.impl_is_key else leaf.shape
        if place is not None and place.fits(layout, shape, devices=devices):
            continue
        raise _elsewhere(subject, path, layout, "no JAX array" if place is None else place.told(shape))
    if returns is not None and not result.leaves:
        raise _elsewhere(subject, "", layouts.for_part(returns, 0) or layouts.whole, "no JAX array")


def _elsewhere(subject: Subject, path: str, layout: Layout, found: str) -> CheckFailed:
    spot = subject.source.calls(subject.name, *_PLACING) or subject.source.returns(subject.name)
    params: dict[str, JsonValue] = {
        "where": f"the result{path}" if path else "the result", "expected": str(layout), "found": found,
    }  # fmt: skip
    return subject.failed("device.wrong_place", params, spot=spot)


def _wanted(result: Result, returns: layouts.Given) -> list[tuple[int, str, Layout]]:
    """Index, path and layout of each leaf that has to lie somewhere."""
    node = result.structure
    parts = list(node.get("c", ())) if isinstance(returns, tuple) else [node]
    found = []
    for position, part in enumerate(parts):
        layout = layouts.for_part(returns, position)
        root = f"[{position}]" if isinstance(returns, tuple) else ""
        if layout is not None:
            found += [
                (index, path, layout) for index, path in sorted(trees.leaf_paths(part, root=root).items())
            ]
    return found


def _for_leaves(
    subject: Subject, case: Case, given: layouts.Given, devices: int
) -> tuple[Layout | None, ...]:
    """The layout of each flat input. SuiteMisused for one that an array of the case cannot have."""
    inputs = subject.inputs(case)
    wanted: list[Layout | None] = [None] * len(inputs.leaves)
    for position, node in enumerate(inputs.structure["c"][0]["c"]):
        layout = layouts.for_part(given, position)
        for index in trees.leaf_paths(node):
            leaf = inputs.leaves[index]
            shape = leaf.shape[:-1] if leaf.impl_is_key else leaf.shape
            if layout is None or (not shape and layout.kind is LayoutKind.SPLIT):
                continue
            if not _possible(layout, shape, devices):
                raise SuiteMisused(
                    f"an array of shape {shape} cannot be {layout} among {devices}; draw another shape"
                )
            wanted[index] = layout
    return tuple(wanted)


def _possible(layout: Layout, shape: tuple[int, ...], devices: int) -> bool:
    if layout.kind is LayoutKind.ON:
        return layout.number < devices
    if layout.kind is LayoutKind.WHOLE:
        return True
    return -len(shape) <= layout.number < len(shape) and shape[layout.number] % devices == 0


def _check_count(devices: int) -> None:
    if not 1 < devices <= MAX_DEVICES:
        raise SuiteMisused(f"devices can be from 2 to {MAX_DEVICES}, not {devices}")
