"""What grading one right, never-seen solution costs, side by side with the same checks as plain calls.

Rounds alternate: the engine (warm, having graded the model solution only) grades a right solution it never
saw; a warm interpreter with a fresh jit cache runs the same checks as plain calls. CPU seconds count every
process.
"""

from __future__ import annotations

import argparse
import statistics
import subprocess
import sys
import time
from collections import defaultdict
from pathlib import Path

import psutil

from grader.content.assignments import find_assignment, read_assignment
from grader.content.uploads import read_upload
from grader.domain.rubric import Assignment
from grader.domain.submission import SubmittedFiles
from grader.engine import Engine

STAGES = (
    "load",
    "export",
    "call",
    "read",
    "interpret",
    "compile",
    "run",
    "prepare",
    "log",
    "race",
    "examiner",
)


def main() -> None:
    """Measure and print a table; the ratio is the figure to quote."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--plain", metavar="FILE", help=argparse.SUPPRESS)
    options = parser.parse_args()
    assignment = read_assignment(find_assignment("functional-core"))
    right = assignment.root / "samples" / "right.py"
    if options.plain:
        _plain_rounds(assignment, Path(options.plain))
        return
    _compare(assignment, right, rounds=options.rounds)


def _compare(assignment: Assignment, right: Path, *, rounds: int) -> None:
    ours: list[float] = []
    floor: list[float] = []
    walls: list[float] = []
    stages: dict[str, list[float]] = defaultdict(list)
    plain = subprocess.Popen(
        [sys.executable, "-m", "tests.bench", "--plain", str(right)],
        stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True,
    )  # fmt: skip
    assert plain.stdin is not None
    assert plain.stdout is not None
    for number in range(rounds):
        cpu, wall, cost = _graded(assignment, right, seed=f"bench-{number}")
        ours.append(cpu)
        walls.append(wall)
        for stage, seconds in cost.items():
            stages[stage].append(seconds)
        print("again", file=plain.stdin, flush=True)
        floor.append(float(plain.stdout.readline()))
        print(f"round {number + 1}: engine {cpu:.2f} CPU s ({wall:.2f} s), plain calls {floor[-1]:.2f} CPU s")
    plain.stdin.close()
    plain.wait()
    _report(ours, floor, walls, stages)


def _graded(assignment: Assignment, right: Path, *, seed: str) -> tuple[float, float, dict[str, float]]:
    """CPU and wall seconds, and the split, of grading `right` where only the solution was seen before."""
    solution = assignment.root / "solution" / assignment.entry
    with Engine() as engine:
        engine.grade(_files(assignment, solution), assignment, seed="warm")
        before, began = _cpu_of_children(), time.monotonic()
        result = engine.grade(_files(assignment, right), assignment, seed=seed)
        cpu, wall = _cpu_of_children() - before, time.monotonic() - began
    if result.score != result.max_score:
        raise SystemExit(f"the right solution earned {result.score} of {result.max_score}")
    return cpu, wall, dict(result.cost)


def _files(assignment: Assignment, path: Path) -> SubmittedFiles:
    functions = [spec.name for spec in assignment.functions]
    return read_upload(path.name, path.read_bytes(), entry=assignment.entry, functions=functions)


def _cpu_of_children() -> float:
    """CPU seconds of every process below this one, ended ones included."""
    total = 0.0
    for process in psutil.Process().children(recursive=True):
        try:
            times = process.cpu_times()
        except psutil.NoSuchProcess:
            continue
        total += times.user + times.system + times.children_user + times.children_system
    return total


def _plain_rounds(assignment: Assignment, right: Path) -> None:
    """For each line read: a fresh jit cache, one run of the plain checks, its CPU seconds printed."""
    import jax  # noqa: PLC0415 - only this process of the measurement runs JAX

    from tests.bench import plain  # noqa: PLC0415 - as above

    plain.run(assignment, right, seed="warm")
    for number, _ in enumerate(sys.stdin):
        jax.clear_caches()
        began = time.process_time()
        passed, checks = plain.run(assignment, right, seed=f"bench-{number}")
        print(time.process_time() - began, flush=True)
        if passed != checks:
            print(f"plain calls passed {passed} of {checks} checks", file=sys.stderr)


def _report(
    ours: list[float], floor: list[float], walls: list[float], stages: dict[str, list[float]]
) -> None:
    ratios = [one / other for one, other in zip(ours, floor, strict=True)]
    print()
    print("functional-core, a right solution never seen before, CPU seconds (median of the rounds)")
    print(f"  plain calls, warm interpreter, fresh jit cache (g)  {statistics.median(floor):6.2f}")
    print(f"  engine, warm, sealed, every process counted         {statistics.median(ours):6.2f}")
    median = statistics.median(ratios)
    print(f"  ratio, pair by pair: median {median:.2f}, from {min(ratios):.2f} to {max(ratios):.2f}")
    print(f"  wall seconds of the engine: {statistics.median(walls):.2f}")
    print()
    print("where the engine's CPU time goes (as the processes report it)")
    for stage in STAGES:
        if stage in stages:
            print(f"  {stage:10} {statistics.median(stages[stage]):6.3f}")
    rest = statistics.median(ours) - sum(statistics.median(values) for values in stages.values())
    print(f"  {'rest':10} {rest:6.3f}   forks, sealing, loading, exits")


if __name__ == "__main__":
    main()
