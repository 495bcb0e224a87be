"""The shipped assignments, graded for real: each program gets exactly the verdicts it deserves.

The samples of "functional-core" are graded by the test of the demo.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

import assignments
from grader.content.assignments import read_assignment
from grader.content.uploads import read_paths
from grader.domain.results import AttemptResult
from grader.domain.rubric import Assignment, Mutant
from grader.domain.verdicts import Verdict
from grader.engine import Engine

SHIPPED = [
    read_assignment(folder)
    for folder in sorted(Path(assignments.__file__).parent.iterdir())
    if (folder / "assignment.toml").is_file()
]
MUTANTS = [
    pytest.param(assignment, mutant, id=f"{assignment.slug}: {mutant.name}")
    for assignment in SHIPPED
    for mutant in assignment.mutants
]

pytestmark = pytest.mark.slow

each_assignment = pytest.mark.parametrize("assignment", SHIPPED, ids=lambda assignment: assignment.slug)


@pytest.fixture(scope="module")
def engine() -> Iterator[Engine]:
    with Engine() as engine:
        yield engine


def grade(engine: Engine, assignment: Assignment, path: str, *, seed: str = "calibration") -> AttemptResult:
    functions = [function.name for function in assignment.functions]
    files = read_paths([assignment.root / path], entry=assignment.entry, functions=functions)
    return engine.grade(files, assignment, seed=seed)


def lost(result: AttemptResult) -> dict[str, str]:
    """The checks that cost points, each with what was said about it."""
    return {
        check.spec.id: f"{check.verdict} {check.feedback}"
        for check in result.results
        if check.verdict not in (Verdict.PASSED, Verdict.INCONCLUSIVE)
    }


@pytest.mark.parametrize("seed", ["first", "second", "third"])
@each_assignment
def test_the_solution_earns_full_points_whatever_is_drawn(
    engine: Engine, assignment: Assignment, seed: str
) -> None:
    result = grade(engine, assignment, f"solution/{assignment.entry}", seed=seed)
    assert lost(result) == {}
    assert result.score == result.max_score > 0


@each_assignment
def test_the_starter_earns_what_the_manifest_declares(engine: Engine, assignment: Assignment) -> None:
    result = grade(engine, assignment, f"starter/{assignment.entry}")
    assert result.score == assignment.starter_earns


@pytest.mark.parametrize("assignment, mutant", MUTANTS)
def test_a_mutant_fails_exactly_its_checks(engine: Engine, assignment: Assignment, mutant: Mutant) -> None:
    found = lost(grade(engine, assignment, mutant.path))
    assert found.keys() == mutant.fails, found
