"""Runs a program once under the key log: keys in, generator calls written down, misuses out."""

from __future__ import annotations

import os
import re
import tempfile
from collections.abc import Sequence
from itertools import islice
from pathlib import Path

import numpy as np

from grader.domain.errors import BenchFault
from grader.engine.bench import interpreter
from grader.engine.bench.answers import Aval, Trouble
from grader.engine.bench.clock import Stages
from grader.engine.bench.keyfindings import KeyLog, Unverifiable
from grader.engine.bench.keys import probes, rewriting
from grader.engine.bench.keys.ledger import FINDINGS_KEPT, Ledger
from grader.engine.bench.keys.threefry import Words
from grader.engine.bench.operations import function_type, functions_of
from grader.engine.bench.programs import Program
from grader.engine.bench.survey import Survey, interpreter_cost, runs, survey
from grader.engine.protocol import AnyArray

CALLS_LOGGED = 5_000
WORK_S = 10.0
"""CPU seconds of interpretation beyond which no log is tried, by estimate."""

_KERNEL_NAME = re.compile(r"threefry2x32(_\d+)?")
_KERNEL_TYPE = re.compile(
    r"\((tensor<i32>, )?(tensor<[0-9x]*ui32>, ){3}tensor<[0-9x]*ui32>\)"
    r" -> \(tensor<([0-9x]*)ui32>, tensor<\3ui32>\)"
)
"""Two words of key and two of counter in, two words out; the platform's index first if there are several."""


class _NoLog(Exception):
    def __init__(self, reason: Unverifiable, detail: str) -> None:
        super().__init__(detail)
        self.reason, self.detail = reason, detail


def key_log(
    program: Program,
    inputs: Sequence[AnyArray],
    *,
    key_inputs: Sequence[int],
    key_outputs: Sequence[int],
    stages: Stages,
) -> KeyLog:
    """The log of one run. `key_inputs` and `key_outputs` are flat positions that hold keys, typed or raw."""
    ledger = Ledger()
    try:
        returned = _run(
            program, inputs, key_inputs=key_inputs, key_outputs=key_outputs, ledger=ledger, stages=stages
        )
    except _NoLog as exc:
        return KeyLog(unverifiable=exc.reason, detail=exc.detail, cost=stages.seconds())
    with stages.timed("log"):
        findings = tuple(islice(ledger.findings(returned), FINDINGS_KEPT))
    return KeyLog(
        findings=findings,
        draws=ledger.draws,
        blocks=ledger.blocks,
        derivations=ledger.derivations,
        keys_used=ledger.keys_used,
        cost=stages.seconds(),
    )


def _run(
    program: Program,
    inputs: Sequence[AnyArray],
    *,
    key_inputs: Sequence[int],
    key_outputs: Sequence[int],
    ledger: Ledger,
    stages: Stages,
) -> dict[int, Words]:
    """Fill the ledger; the returned keys by output. _NoLog if there can be no log."""
    for position in key_inputs:
        ledger.add_input(position, _key_rows(program.facts.inputs, position, inputs[position], "input"))
    for position, array in enumerate(inputs):
        if position not in key_inputs and array.ndim == 0 and array.dtype.kind in "iu":
            ledger.add_seed(position, int(array))
    with stages.timed("prepare"):
        prepared, placed = _prepared(program, key_outputs)
    with stages.timed("interpret"), _scratch() as folder:
        arguments = program.arguments(list(inputs), platform="cpu")
        results = prepared.run(arguments, probes=folder)
        calls = list(probes.read(Path(folder), placed))
    with stages.timed("log"):
        for call in calls:
            ledger.add_call(call)
    return {
        position: _key_rows(program.facts.outputs, position, results[position], "output")
        for position in key_outputs
    }


def _prepared(
    program: Program, key_outputs: Sequence[int]
) -> tuple[interpreter.Interpretable, probes.Probes]:
    """A copy of the program cut down to its draws and returned keys, with probes in it."""
    kernels = _kernels(program)
    drawing = rewriting.drawing_functions(program.survey)
    module = interpreter.clone(program.module)
    rewriting.prune(module, program.survey, outputs=frozenset(key_outputs))
    rewriting.branches_to_loops(module, drawing, kernels)
    left = survey(module)
    blockers = interpreter.blockers(left)
    if blockers:
        raise _NoLog(Unverifiable.NOT_INTERPRETABLE, ", ".join(blockers[:5]))
    _check_size(left, kernels)
    placed = probes.insert(module, drawing, kernels)
    return interpreter.prepare(module, left), placed


def _kernels(program: Program) -> frozenset[str]:
    """The program's Threefry kernels; _NoLog if it uses a generator that cannot be followed."""
    if "stablehlo.rng_bit_generator" in program.survey.histogram:
        raise _NoLog(Unverifiable.OTHER_GENERATOR, "it draws with the device's own generator")
    functions = functions_of(program.module)
    kernels = frozenset(name for name, function in program.survey.functions.items() if function.is_kernel)
    for name in kernels:
        kind = str(function_type(functions[name]))
        if not _KERNEL_NAME.fullmatch(name) or not _KERNEL_TYPE.fullmatch(kind):
            raise _NoLog(Unverifiable.OTHER_GENERATOR, "it contains a generator that is not the library's")
    return kernels


def _check_size(left: Survey, kernels: frozenset[str]) -> None:
    times = runs(left) or {}
    calls = [times.get(name) or 0 for name in kernels]
    if sum(calls) > CALLS_LOGGED:
        raise _NoLog(Unverifiable.TOO_LARGE, f"{sum(calls)} draws, {CALLS_LOGGED} can be logged")
    cost = interpreter_cost(left)
    if cost is not None and cost > WORK_S:
        raise _NoLog(Unverifiable.TOO_LARGE, "its draws are too large to be logged")


def _key_rows(avals: Sequence[Aval], position: int, words: AnyArray, side: str) -> Words:
    """One input's or output's keys as uint32[n, 2]; _NoLog or BenchFault if they are not Threefry keys."""
    kind = avals[position].key
    if kind not in (None, "threefry2x32"):
        raise _NoLog(Unverifiable.OTHER_GENERATOR, f"its keys are of the kind {kind}")
    if words.dtype != np.uint32 or words.ndim == 0 or words.shape[-1] != 2:  # noqa: PLR2004 - words of a key
        raise BenchFault(
            Trouble.BAD_INPUTS, f"{side} {position} holds no keys: {words.dtype}{list(words.shape)}"
        )
    return words.reshape(-1, 2)


def _scratch() -> tempfile.TemporaryDirectory[str]:
    """A folder that goes away. Where, is asked now: the parent that was forked may have had another place."""
    return tempfile.TemporaryDirectory(prefix="keys-", dir=os.environ.get("TMPDIR") or None)
