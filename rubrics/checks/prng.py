"""PRNG keys: all randomness comes from the key argument, and each key serves once.

The evidence is the key log of the exported program, made in the bench with keys the submission never saw:
which key each evaluation of the generator used, and where a returned key comes from.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np

from grader.domain.results import Evidence, EvidenceKind, JsonValue
from grader.engine.bench.keyfindings import KeyFault, KeyFinding, KeyLog, Purpose
from grader.engine.protocol import Leaf
from grader.engine.session import TracedCall
from rubrics.checks.values import as_numpy, as_numpy_argument
from rubrics.comparing import Result
from rubrics.drawing import Case
from rubrics.failures import CheckFailed, Inconclusive, SuiteMisused
from rubrics.source import HIDDEN_GENERATORS, Spot
from rubrics.subject import Subject, program_inputs

_CODES: Mapping[KeyFault, str] = {
    KeyFault.REUSED: "prng.key_reused",
    KeyFault.FOREIGN: "prng.hidden_key",
    KeyFault.RETURNED_USED: "prng.returned_key_used",
    KeyFault.RETURNED_INPUT: "prng.returned_same_key",
    KeyFault.RETURNED_FOREIGN: "prng.hidden_key",
    KeyFault.RETURNED_TWICE: "prng.returned_key_used",
    KeyFault.UNUSED: "prng.key_not_used",
}
"""Reuse inside one library sampler is missing on purpose: the student cannot help it."""


Draws = Callable[[Any, Any], Any]
"""From a case's arguments and a result (NumPy trees) to the array of independent draws that it holds."""

EQUAL_SHARE = 0.25
"""Share of rows that may equal another row: short rows of coin flips do so by chance."""


def threads_keys(
    subject: Subject, cases: Sequence[Case], *, returns_key: int | None, draws: Draws | None
) -> None:
    """For every case: no key serves twice, none is made up, and the returned one is fresh.

    A draw that `vmap` copies to every row is one use of its key: only `draws`, whose rows must differ, tells.
    """
    for case in cases:
        traced = subject.traced(case)
        positions = _key_positions(case)
        if not positions:
            raise SuiteMisused("threads_keys needs a case with a key")
        outputs = _returned_keys(subject, traced, returns_key)
        leaves = program_inputs(subject.inputs(case))
        log = subject.key_log(traced, leaves, key_inputs=positions, key_outputs=outputs)
        _judge(subject, log)
        _depends_on_key(subject, case, traced, outputs)
        if draws is not None:
            _rows_differ(subject, case, traced, draws)
        if log.unverifiable is not None:
            raise Inconclusive(
                "prng.unverifiable",
                {"function": subject.name, "reason": log.detail or log.unverifiable.value},
                evidence=(),
            )


def _key_positions(case: Case) -> list[int]:
    """Flat positions of the keys among a case's arrays and scalars."""
    found: list[int] = []
    count = 0

    def visit(value: object) -> None:
        nonlocal count
        given = getattr(value, "array", None)
        if given is not None:
            if getattr(value, "raw_key", False) or getattr(value, "impl", None) is not None:
                found.append(count)
            count += 1
        elif isinstance(value, Mapping):
            for child in value.values():
                visit(child)
        elif isinstance(value, tuple | list):
            for child in value:
                visit(child)

    visit(case.args)
    visit(case.kwargs)
    return found


def _returned_keys(subject: Subject, traced: TracedCall, returns_key: int | None) -> list[int]:
    """Flat positions of the returned key; fails if the result has none in that place."""
    if returns_key is None:
        return []
    parts = traced.structure.get("c", ())
    if returns_key >= len(parts) or parts[returns_key].get("t") != "leaf":
        raise subject.failed(
            "values.wrong_structure",
            {"expected": f"a tuple with the new key at position {returns_key}", "found": "something else"},
            spot=subject.source.returns(subject.name),
        )
    return [parts[returns_key]["i"]]


def _judge(subject: Subject, log: KeyLog) -> None:
    for finding in log.findings:
        code = _CODES.get(finding.fault)
        if code is not None:
            raise _failure(subject, code, finding)


def _failure(subject: Subject, code: str, finding: KeyFinding) -> CheckFailed:
    source, name = subject.source, subject.name
    purposes = {use.purpose for use in finding.uses}
    if code == "prng.key_reused" and {Purpose.DRAW, Purpose.SPLIT} <= purposes:
        code = "prng.parent_used_after_split"
    if code == "prng.key_not_used":
        hidden = source.calls(name, *HIDDEN_GENERATORS)
        if hidden is not None:
            return subject.failed("prng.numpy_random", {}, spot=hidden)
        spot = source.makes_key(name) or source.definition(name)
    elif code == "prng.hidden_key":
        spot = source.makes_key(name) or _last_line(subject, finding)
    elif code.startswith("prng.returned"):
        spot = source.returns(name)
    else:
        spot = _last_line(subject, finding) or source.reused_key(name)
    params: dict[str, JsonValue] = {"times": max(finding.times, 2)}
    first = _line(subject, finding, 0)
    if first is not None and first != spot:
        params["first_line"] = first.line
    return subject.failed(code, params, spot=spot, evidence=(_evidence(subject, finding),))


def _line(subject: Subject, finding: KeyFinding, index: int) -> Spot | None:
    """The submitted line of one use, as the program remembers it: checked against the files that exist."""
    names = {file.name for file in subject.session.files.files}
    uses = finding.uses[index : index + 1] if index >= 0 else finding.uses[index:]
    for use in uses:
        for line in use.lines:
            if line.file in names:
                return Spot(file=line.file, line=line.line)
    return None


def _last_line(subject: Subject, finding: KeyFinding) -> Spot | None:
    return _line(subject, finding, -1)


def _evidence(subject: Subject, finding: KeyFinding) -> Evidence:
    rows: list[JsonValue] = []
    for index, use in enumerate(finding.uses):
        spot = _line(subject, finding, index)
        rows.append(
            {
                "use": use.purpose.value,
                "key": finding.key,
                "line": None if spot is None else spot.line,
                "times": finding.times,
            }
        )
    return Evidence(kind=EvidenceKind.KEYS, data={"rows": rows})


def _depends_on_key(subject: Subject, case: Case, traced: TracedCall, key_outputs: Sequence[int]) -> None:
    """Other keys must give other draws."""
    sets = [program_inputs(subject.inputs(other)) for other in (case, case.with_other_keys())]
    first, second = subject.outputs(traced, sets)
    drawn = [index for index in range(len(first)) if index not in key_outputs and _size(first[index]) > 0]
    if drawn and all(_equal(first[index], second[index]) for index in drawn):
        spot = subject.source.makes_key(subject.name) or subject.source.definition(subject.name)
        raise subject.failed("prng.key_ignored", {}, spot=spot)


def _rows_differ(subject: Subject, case: Case, traced: TracedCall, draws: Draws) -> None:
    """What was drawn for one row must not have been drawn for another."""
    outputs = subject.outputs(traced, [program_inputs(subject.inputs(case))])[0]
    result = as_numpy(Result(structure=traced.structure, leaves=outputs))
    rows = np.asarray(draws(tuple(map(as_numpy_argument, case.args)), result))
    different = len(np.unique(rows.reshape(len(rows), -1), axis=0)) if rows.size else 0
    if rows.size and len(rows) - different > EQUAL_SHARE * len(rows):
        spot = subject.source.draws(subject.name) or subject.source.reused_key(subject.name)
        raise subject.failed("prng.key_reused", {"times": len(rows)}, spot=spot)


def _size(leaf: Leaf) -> int:
    return 0 if leaf.array is None else int(leaf.array.size)


def _equal(one: Leaf, other: Leaf) -> bool:
    if one.array is None or other.array is None:
        return False
    return bool(np.array_equal(one.array, other.array, equal_nan=one.array.dtype.kind in "fc"))
