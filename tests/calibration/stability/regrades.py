"""The same submissions graded again and again beside other work, each time with other hidden inputs."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path

from grader.content.assignments import find_assignment, read_assignment
from grader.content.uploads import read_paths
from grader.domain.results import AttemptResult
from grader.engine import Engine
from tests.calibration.stability.load import busy

ASSIGNMENT = find_assignment("functional-core")
SUBMISSIONS = (
    "samples/right.py",
    "samples/double_loop.py",
    "mutants/pairwise_loops_over_entries.py",
    "mutants/fresh_jit_at_every_call.py",
    "mutants/walk_reuses_key.py",
)
"""A right one, two slow ones, one that is compiled at each call, and one that uses a key twice."""

Verdicts = tuple[tuple[str, str], ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Regrades:
    """All gradings of one submission."""

    path: str
    outcomes: Sequence[tuple[Fraction, Verdicts]]
    """Score and verdict by check, grading by grading."""
    seconds: float

    @property
    def stable(self) -> bool:
        return len(set(self.outcomes)) == 1

    @property
    def scores(self) -> dict[str, int]:
        return dict(Counter(str(score) for score, _ in self.outcomes))

    @property
    def wavering(self) -> dict[str, dict[str, int]]:
        """The checks that did not always get one verdict, with how often they got which."""
        by_check: dict[str, Counter[str]] = {}
        for _, verdicts in self.outcomes:
            for check, verdict in verdicts:
                by_check.setdefault(check, Counter())[verdict] += 1
        return {check: dict(counts) for check, counts in by_check.items() if len(counts) > 1}


def regrade(*, times: int, submissions: Sequence[str] = SUBMISSIONS) -> Iterator[Regrades]:
    """Grade each submission so often, each time with another seed, beside busy loops."""
    assignment = read_assignment(ASSIGNMENT)
    functions = [function.name for function in assignment.functions]
    with Engine() as engine, busy():
        for name in submissions:
            files = read_paths([Path(ASSIGNMENT) / name], entry=assignment.entry, functions=functions)
            results = [engine.grade(files, assignment, seed=f"stability {number}") for number in range(times)]
            yield Regrades(
                path=name,
                outcomes=[(result.score, _verdicts(result)) for result in results],
                seconds=sum(result.seconds for result in results) / times,
            )


def _verdicts(result: AttemptResult) -> Verdicts:
    return tuple((check.spec.id, check.verdict.value) for check in result.results)
