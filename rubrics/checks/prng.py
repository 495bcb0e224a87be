"""PRNG keys: all randomness comes from the key argument, and each key serves once.

The evidence is the key log of the exported program, made in the bench with keys the submission never saw:
which key each evaluation of the generator used, and where a returned key comes from. A function without a
program is followed in a plain call; it has lost what asks for a program, and may still thread its keys well.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np

from grader.domain.errors import ProgramRefused
from grader.domain.results import Evidence, EvidenceKind, JsonValue
from grader.engine.bench.keyfindings import KeyFault, KeyFinding, KeyLog, Purpose, Unverifiable
from grader.engine.protocol import Leaf
from grader.engine.session import FollowedCall, SubmissionRaised, TracedCall
from grader.engine.trees import Node
from rubrics import following
from rubrics.checks.values import as_numpy, as_numpy_argument
from rubrics.comparing import Result
from rubrics.drawing import Case
from rubrics.failures import CheckFailed, Inconclusive, SuiteMisused
from rubrics.source import HIDDEN_GENERATORS, Spot
from rubrics.subject import PLAIN, Subject, exported

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
        positions = _key_positions(case)
        if not positions:
            raise SuiteMisused("threads_keys needs a case with a key")
        run, log, outputs = _followed(subject, case, positions, returns_key=returns_key)
        _judge(subject, log)
        if isinstance(run, _PlainCall):
            _draws_with_jax(subject, log)
        _depends_on_key(subject, run, case, outputs)
        if draws is not None:
            _rows_differ(subject, run, case, draws, drawn=log.blocks)
        if log.unverifiable is not None:
            raise Inconclusive(
                "prng.unverifiable",
                {"function": subject.name, "reason": log.detail or log.unverifiable.value},
                evidence=(),
            )


class _Run(Protocol):
    """A way to run the function on a case's inputs, and to follow its keys."""

    @property
    def structure(self) -> Node: ...

    def log(self, key_inputs: Sequence[int], key_outputs: Sequence[int]) -> KeyLog: ...

    def outputs(self, cases: Sequence[Case]) -> list[tuple[Leaf, ...]]: ...


@dataclass(frozen=True, slots=True, kw_only=True)
class _Program:
    """Run as the exported program, in the bench."""

    subject: Subject
    case: Case
    traced: TracedCall
    structure: Node

    def log(self, key_inputs: Sequence[int], key_outputs: Sequence[int]) -> KeyLog:
        return self.subject.session.key_log(
            self.subject.name,
            exported(self.traced),
            self.subject.flat(self.case, self.traced),
            key_inputs=key_inputs,
            key_outputs=key_outputs,
        )

    def outputs(self, cases: Sequence[Case]) -> list[tuple[Leaf, ...]]:
        sets = [self.subject.flat(case, self.traced) for case in cases]
        return self.subject.outputs(self.traced, sets)


@dataclass(frozen=True, slots=True, kw_only=True)
class _PlainCall:
    """Run as a plain call, in the candidate: there is no program, or none that can be followed."""

    subject: Subject
    case: Case
    called: FollowedCall
    structure: Node

    def log(self, key_inputs: Sequence[int], key_outputs: Sequence[int]) -> KeyLog:
        inputs = self.subject.inputs(self.case).leaves
        return following.key_log(self.called, inputs, key_inputs=key_inputs, key_outputs=key_outputs)

    def outputs(self, cases: Sequence[Case]) -> list[tuple[Leaf, ...]]:
        return [tuple(result.leaves) for result in self.subject.plain_results(cases)]


def _followed(
    subject: Subject, case: Case, key_inputs: Sequence[int], *, returns_key: int | None
) -> tuple[_Run, KeyLog, list[int]]:
    """A run with its keys followed, and where it returns keys: of the program if there is one to follow."""
    inputs = subject.inputs(case)
    with suppress(SubmissionRaised, ProgramRefused):
        traced = subject.session.traced(subject.name, inputs)
        program = _Program(subject=subject, case=case, traced=traced, structure=traced.structure)
        key_outputs = _returned_keys(subject, program.structure, returns_key)
        log = program.log(key_inputs, key_outputs)
        if log.unverifiable not in (Unverifiable.NOT_INTERPRETABLE, Unverifiable.TOO_LARGE):
            return program, log, key_outputs
    try:
        called = subject.session.followed(subject.name, inputs, world=PLAIN)
    except SubmissionRaised as exc:
        raise subject.raised(exc) from exc
    plain = _PlainCall(subject=subject, case=case, called=called, structure=called.structure)
    key_outputs = _returned_keys(subject, plain.structure, returns_key)
    return plain, plain.log(key_inputs, key_outputs), key_outputs


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


def _returned_keys(subject: Subject, structure: Node, returns_key: int | None) -> list[int]:
    """Flat positions of the returned key; fails if the result has none in that place."""
    if returns_key is None:
        return []
    parts = structure.get("c", ())
    if returns_key >= len(parts) or parts[returns_key].get("t") != "leaf":
        raise subject.failed(
            "values.wrong_structure",
            {"expected": f"a tuple with the new key at position {returns_key}", "found": "something else"},
            spot=subject.source.returns(subject.name),
        )
    return [parts[returns_key]["i"]]


def _judge(subject: Subject, log: KeyLog) -> None:
    """Fails for the first finding. A key that is made up is told before what else is done with it."""
    for finding in sorted(log.findings, key=lambda finding: finding.fault is not KeyFault.FOREIGN):
        code = _CODES.get(finding.fault)
        if code is not None:
            raise _failure(subject, code, finding)


def _draws_with_jax(subject: Subject, log: KeyLog) -> None:
    """A plain call could seed another generator with the key's words: no use of the key tells that."""
    hidden = subject.source.calls(subject.name, *HIDDEN_GENERATORS)
    if hidden is not None:
        raise subject.failed("prng.numpy_random", {}, spot=hidden)
    if log.draws == 0:
        spot = subject.source.definition(subject.name)
        raise subject.failed("prng.key_not_used", {}, spot=spot)


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


def _depends_on_key(subject: Subject, run: _Run, case: Case, key_outputs: Sequence[int]) -> None:
    """Other keys must give other draws."""
    first, second = run.outputs([case, case.with_other_keys()])
    drawn = [index for index in range(len(first)) if index not in key_outputs and _size(first[index]) > 0]
    if drawn and all(_equal(first[index], second[index]) for index in drawn):
        spot = subject.source.makes_key(subject.name) or subject.source.definition(subject.name)
        raise subject.failed("prng.key_ignored", {}, spot=spot)


def _rows_differ(subject: Subject, run: _Run, case: Case, draws: Draws, *, drawn: int) -> None:
    """What was drawn for one row must not have been drawn for another.

    Coin flips are often equal; so fewer numbers must have been `drawn`, too, than the rows hold.
    """
    result = as_numpy(Result(structure=run.structure, leaves=run.outputs([case])[0]))
    rows = np.asarray(draws(tuple(map(as_numpy_argument, case.args)), result))
    different = len(np.unique(rows.reshape(len(rows), -1), axis=0)) if rows.size else 0
    if len(rows) - different > EQUAL_SHARE * len(rows) and drawn < rows.size:
        spot = subject.source.draws(subject.name) or subject.source.reused_key(subject.name)
        raise subject.failed("prng.key_reused", {"times": len(rows)}, spot=spot)


def _size(leaf: Leaf) -> int:
    return 0 if leaf.array is None else int(leaf.array.size)


def _equal(one: Leaf, other: Leaf) -> bool:
    if one.array is None or other.array is None:
        return False
    return bool(np.array_equal(one.array, other.array, equal_nan=one.array.dtype.kind in "fc"))
