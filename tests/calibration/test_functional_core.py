"""The shipped assignment, graded for real: each program gets exactly the verdicts it deserves.

Its samples are graded by the test of the demo.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

import assignments
from grader.content.assignments import read_assignment
from grader.content.uploads import read_paths
from grader.domain.results import AttemptResult
from grader.domain.rubric import Mutant
from grader.domain.verdicts import Verdict
from grader.engine import Engine

ROOT = Path(assignments.__file__).parent / "functional-core"
ASSIGNMENT = read_assignment(ROOT)
FUNCTIONS = [function.name for function in ASSIGNMENT.functions]

pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def engine() -> Iterator[Engine]:
    with Engine() as engine:
        yield engine


def grade(engine: Engine, path: Path, *, seed: str = "calibration") -> AttemptResult:
    files = read_paths([path], entry=ASSIGNMENT.entry, functions=FUNCTIONS)
    return engine.grade(files, ASSIGNMENT, seed=seed)


def lost(result: AttemptResult) -> dict[str, str]:
    """The checks that cost points, each with what was said about it."""
    return {
        check.spec.id: f"{check.verdict} {check.feedback}"
        for check in result.results
        if check.verdict not in (Verdict.PASSED, Verdict.INCONCLUSIVE)
    }


@pytest.mark.parametrize("seed", ["first", "second", "third"])
def test_the_solution_earns_full_points_whatever_is_drawn(engine: Engine, seed: str) -> None:
    result = grade(engine, ROOT / "solution" / ASSIGNMENT.entry, seed=seed)
    assert lost(result) == {}
    assert result.score == result.max_score == 100


def test_the_starter_earns_what_the_manifest_declares(engine: Engine) -> None:
    assert grade(engine, ROOT / "starter" / ASSIGNMENT.entry).score == ASSIGNMENT.starter_earns


@pytest.mark.parametrize("mutant", ASSIGNMENT.mutants, ids=lambda mutant: mutant.name)
def test_a_mutant_fails_exactly_its_checks(engine: Engine, mutant: Mutant) -> None:
    found = lost(grade(engine, ROOT / mutant.path))
    assert found.keys() == mutant.fails, found
