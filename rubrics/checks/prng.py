"""PRNG keys: all randomness comes from the key argument, and each key serves once.

The evidence is the key log of the exported program, made in the bench with keys the submission never saw:
which key each evaluation of the generator used, and where a returned key comes from. A function without a
program is followed in a plain call; it has lost what asks for a program, and may still thread its keys well.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from grader.domain.results import Evidence, EvidenceKind, JsonValue
from grader.engine.bench.keyfindings import KeyFault, KeyFinding, KeyLog, Purpose
from grader.engine.protocol import Leaf
from rubrics.checks import rows
from rubrics.checks.keyruns import Followed, Place, PlainRun, Run, follow, key_positions
from rubrics.checks.values import as_numpy, as_numpy_argument
from rubrics.comparing import Result
from rubrics.drawing import Case
from rubrics.failures import CheckFailed, Inconclusive, SuiteMisused
from rubrics.source import HIDDEN_GENERATORS, Spot
from rubrics.subject import Subject

AnyArray = npt.NDArray[Any]

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


TWICE = 2
"""How often `binomial` and `multinomial` use each of their keys."""

Draws = Callable[[Any, Any], Any]
"""From a case's arguments and a result (NumPy trees) to the array of independent draws that it holds."""


def threads_keys(
    subject: Subject, cases: Sequence[Case], *, returns_key: Place | None, draws: Draws | None
) -> None:
    """For every case: no key serves twice, none is made up, and the returned one is fresh.

    A draw that `vmap` copies to every row is one use of its key: only `draws`, whose rows must differ, tells.
    """
    for case in cases:
        positions = key_positions(case)
        if not positions:
            raise SuiteMisused("threads_keys needs a case with a key")
        followed = follow(subject, case, positions, returns_key=returns_key)
        run, log = followed.run, followed.log
        _judge(subject, log)
        _draws_with_jax(subject, case, followed)
        _depends_on_key(subject, run, case, followed.key_outputs)
        if draws is not None:
            _rows_differ(subject, run, case, draws, drawn=log.blocks)
        if log.unverifiable is not None:
            raise Inconclusive(
                "prng.unverifiable",
                {"function": subject.name, "reason": log.detail or log.unverifiable.value},
                evidence=(),
            )


def _judge(subject: Subject, log: KeyLog) -> None:
    """Fails for the first finding. A key that is made up is told before what else is done with it."""
    for finding in sorted(log.findings, key=lambda finding: finding.fault is not KeyFault.FOREIGN):
        code = _CODES.get(finding.fault)
        if code is not None and not _is_library_s_own(subject, finding):
            raise _failure(subject, code, finding)


def _is_library_s_own(subject: Subject, finding: KeyFinding) -> bool:
    """Whether one call of a sampler that is written out in the program used a key twice inside.

    A second call with the same key uses it twice more, or once.
    """
    if finding.fault is not KeyFault.REUSED or finding.times > TWICE:
        return False
    places = {_line(subject, finding, index) for index in range(len(finding.uses))}
    return len(places) == 1 and subject.source.calls_inlined_sampler(subject.name, places.pop())


def _draws_with_jax(subject: Subject, case: Case, followed: Followed) -> None:
    """Numbers of another generator may stand beside those of the key, or be seeded with its words.

    A program holds them as constants, so what tells is that two traces differ, or that a generator moved on.
    In a plain call nothing would.
    """
    plain = isinstance(followed.run, PlainRun)
    hidden = subject.source.calls(subject.name, *HIDDEN_GENERATORS)
    if hidden is not None and (plain or _generator_moved(subject) or subject.wavers(case)):
        raise subject.failed("prng.numpy_random", {}, spot=hidden)
    if plain and followed.log.draws == 0:
        spot = subject.source.definition(subject.name)
        raise subject.failed("prng.key_not_used", {}, spot=spot)


def _generator_moved(subject: Subject) -> bool:
    """Whether calls of the function so far left a generator of NumPy's or Python's in another state."""
    return any(
        "random state" in what or "generator" in before or "generator" in after
        for seen in subject.session.observed(subject.name)
        for what, before, after in (*((change[0], "", "") for change in seen.process), *seen.state)
    )


def _failure(subject: Subject, code: str, finding: KeyFinding) -> CheckFailed:
    source, name = subject.source, subject.name
    if code == "prng.key_reused" and _draws_and_splits(finding):
        code = "prng.parent_used_after_split"
    if code == "prng.key_not_used":
        hidden = source.calls(name, *HIDDEN_GENERATORS)
        if hidden is not None:
            return subject.failed("prng.numpy_random", {}, spot=hidden)
        if subject.remembers() and source.draws(name) is not None:
            return subject.failed("prng.key_ignored", {}, spot=_memory(subject) or source.definition(name))
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


def _draws_and_splits(finding: KeyFinding) -> bool:
    """Whether the key was drawn from, and split by the student: samplers such as `randint` split inside."""
    by_hand = [use.purpose for use in finding.uses if use.by in ("split", "fold_in", "bits")]
    drawn = len(by_hand) < len(finding.uses) or Purpose.DRAW in by_hand
    return drawn and Purpose.SPLIT in by_hand


def _memory(subject: Subject) -> Spot | None:
    """Where the function writes down what it comes back to in later calls."""
    paths = [path for seen in subject.session.observed(subject.name) for path, *_ in seen.state]
    return next(filter(None, (subject.source.writes(subject.name, path) for path in paths)), None)


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
    lines: list[JsonValue] = []
    for index, use in enumerate(finding.uses):
        spot = _line(subject, finding, index)
        lines.append(
            {
                "use": use.purpose.value,
                "key": finding.key,
                "line": None if spot is None else spot.line,
                "times": finding.times,
            }
        )
    return Evidence(kind=EvidenceKind.KEYS, data={"rows": lines})


def _depends_on_key(subject: Subject, run: Run, case: Case, key_outputs: Sequence[int]) -> None:
    """Other keys must give other draws."""
    first, second = run.outputs([case, case.with_other_keys()])
    drawn = [index for index in range(len(first)) if index not in key_outputs and _size(first[index]) > 0]
    if drawn and all(_equal(first[index], second[index]) for index in drawn):
        spot = subject.source.makes_key(subject.name) or subject.source.definition(subject.name)
        raise subject.failed("prng.key_ignored", {}, spot=spot)


def _rows_differ(subject: Subject, run: Run, case: Case, draws: Draws, *, drawn: int) -> None:
    """What was drawn for one row must not have been drawn for another."""
    cases = [case, *(case.with_other_keys() for _ in range(rows.KEYS - 1))]
    made = [
        _drawn(draws, each, Result(structure=run.structure, leaves=leaves))
        for each, leaves in zip(cases, run.outputs(cases), strict=True)
    ]
    if rows.shared(made, drawn=drawn):
        spot = subject.source.draws(subject.name) or subject.source.reused_key(subject.name)
        raise subject.failed("prng.key_reused", {"times": len(made[0])}, spot=spot)


def _drawn(draws: Draws, case: Case, result: Result) -> AnyArray:
    return np.asarray(draws(tuple(map(as_numpy_argument, case.args)), as_numpy(result)))


def _size(leaf: Leaf) -> int:
    return 0 if leaf.array is None else int(leaf.array.size)


def _equal(one: Leaf, other: Leaf) -> bool:
    if one.array is None or other.array is None:
        return False
    return bool(np.array_equal(one.array, other.array, equal_nan=one.array.dtype.kind in "fc"))
