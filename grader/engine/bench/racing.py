"""Times programs against each other: interleaved, by a trusted clock, on inputs that are already in place.

All lanes are compiled before any is timed. A sample is an average over enough runs to last two milliseconds.
The order within a pair alternates, so that whoever comes second gains nothing.
"""

from __future__ import annotations

import gc
import sys
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any

import jax
import numpy as np

from grader.domain.errors import ProgramFailed
from grader.engine.bench.answers import Trouble
from grader.engine.bench.clock import Stages
from grader.engine.bench.executables import Effort, Executable, Executables
from grader.engine.bench.programs import Program
from grader.engine.bench.raceresult import RIVAL, SUBMISSION, Basis, Lane, RaceResult
from grader.engine.protocol import AnyArray
from grader.engine.statistics import RaceRule, is_over, ratios

SAMPLE_S = 0.002
"""Seconds one sample lasts at least: the clocks' steps and one dispatch vanish in it."""
MOST_REPEATS = 1_000


@dataclass(slots=True, kw_only=True)
class _Runner:
    """One lane while it runs."""

    executable: Executable
    placed: Sequence[list[Any]]
    compile_s: float
    repeats: int = 1
    cpu_s: list[float] = field(default_factory=list)
    wall_s: list[float] = field(default_factory=list)
    last: list[Any] = field(default_factory=list)

    def seconds(self, basis: Basis) -> list[float]:
        return self.cpu_s if basis is Basis.CPU else self.wall_s

    def sample(self, position: int) -> tuple[float, float]:
        """CPU and wall seconds of one run, averaged over `repeats` runs on input set `position`."""
        inputs = self.placed[position]
        cpu, wall = time.process_time(), time.perf_counter()
        for _ in range(self.repeats):
            self.last = self.executable.call(inputs)
            for output in self.last:
                output.block_until_ready()
        return (time.process_time() - cpu) / self.repeats, (time.perf_counter() - wall) / self.repeats

    def warm_up(self, basis: Basis) -> None:
        """Run once unmeasured, then find how many runs make a sample."""
        self.sample(0)
        while self.repeats < MOST_REPEATS:
            cpu, wall = self.sample(0)
            lasted = (cpu if basis is Basis.CPU else wall) * self.repeats
            if lasted >= SAMPLE_S:
                return
            self.repeats = min(
                MOST_REPEATS, self.repeats * max(2, int(1.2 * SAMPLE_S / max(lasted, SAMPLE_S / 8)))
            )

    def lane(self) -> Lane:
        return Lane(
            cpu_s=tuple(self.cpu_s),
            wall_s=tuple(self.wall_s),
            repeats=self.repeats,
            compile_s=self.compile_s,
        )


def race(
    programs: Mapping[str, Program],
    sets: Sequence[Sequence[AnyArray]],
    *,
    at_least: float,
    rule: RaceRule,
    executables: Executables,
    stages: Stages,
) -> tuple[RaceResult, Mapping[str, list[AnyArray]]]:
    """Run the lanes until it is clear whether ``submission`` is `at_least` times faster than ``rival``.

    The result without outputs, and the outputs of each lane's last run. ProgramFailed if a lane fails.
    """
    with stages.timed("compile"):
        runners = {name: _runner(program, sets, executables) for name, program in programs.items()}
    basis = _basis(runners[SUBMISSION].executable)
    before = _switches()
    with stages.timed("race"), _no_collection(), _run_errors():
        for runner in runners.values():
            runner.warm_up(basis)
        pairs = _measure(runners, basis, len(sets), at_least=at_least, rule=rule)
        outputs = {name: [np.asarray(output) for output in runner.last] for name, runner in runners.items()}
    result = RaceResult(
        lanes={name: runner.lane() for name, runner in runners.items()},
        basis=basis,
        outputs={},
        last_set=(pairs - 1) % len(sets),
        switches=_switches() - before,
        cost=stages.seconds(),
    )
    return result, outputs


def _runner(program: Program, sets: Sequence[Sequence[AnyArray]], executables: Executables) -> _Runner:
    begun = time.process_time()
    was_known = executables.known(program) is Effort.SPEED
    executable = executables.get(program, effort=Effort.SPEED)
    spent = 0.0 if was_known else time.process_time() - begun
    return _Runner(
        executable=executable, placed=[executable.place(inputs) for inputs in sets], compile_s=spent
    )


def _measure(
    runners: Mapping[str, _Runner], basis: Basis, sets: int, *, at_least: float, rule: RaceRule
) -> int:
    """Sample all lanes, pair after pair; the number of pairs."""
    submission, rival = runners[SUBMISSION].seconds(basis), runners[RIVAL].seconds(basis)
    order = list(runners.values())
    spent, pairs = 0.0, 0
    while True:
        for runner in order:
            cpu, wall = runner.sample(pairs % sets)
            runner.cpu_s.append(max(cpu, 1e-9))
            runner.wall_s.append(max(wall, 1e-9))
            spent += (cpu if basis is Basis.CPU else wall) * runner.repeats
        order.reverse()
        pairs += 1
        if is_over(ratios(submission, rival), spent_s=spent, needed=at_least, rule=rule):
            return pairs


def _basis(executable: Executable) -> Basis:
    """CPU time, unless the work is done elsewhere or the CPU clock is too coarse for it."""
    return Basis.WALL if executable.on_gpu or sys.platform == "win32" else Basis.CPU


def _switches() -> int:
    """Involuntary context switches of this process so far; always zero where they are not counted."""
    if sys.platform == "win32":
        return 0
    import resource  # noqa: PLC0415 - not on every platform

    return resource.getrusage(resource.RUSAGE_SELF).ru_nivcsw


@contextmanager
def _no_collection() -> Iterator[None]:
    """No garbage collection in the middle of a sample."""
    was_on = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was_on:
            gc.enable()


@contextmanager
def _run_errors() -> Iterator[None]:
    try:
        yield
    except jax.errors.JaxRuntimeError as exc:
        raise ProgramFailed(Trouble.RUN, str(exc).partition("\n")[0]) from exc
