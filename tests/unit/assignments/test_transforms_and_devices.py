"""The second shipped assignment is whole and agrees with itself; grading it is judged by calibration."""

from __future__ import annotations

from pathlib import Path

import pytest

from grader.content.assignments import read_assignment
from grader.domain.rubric import Mutant
from tests.unit.assignments.shipped import FOLDER, check_points, functions_of, signatures

ROOT = FOLDER / "transforms-and-devices"
ASSIGNMENT = read_assignment(ROOT)
POINTS = check_points(ROOT / "rubric" / "test_transforms_and_devices.py")


def test_the_points_add_up_to_sixty() -> None:
    assert sum(POINTS.values()) == 60


def test_it_asks_for_what_the_first_assignment_leaves_out() -> None:
    families = {check.split(".")[1] for check in POINTS}
    assert families == {"values", "jit", "transforms", "dtype", "device"}


def test_every_check_has_a_mutant_that_it_catches() -> None:
    assert frozenset().union(*(mutant.fails for mutant in ASSIGNMENT.mutants)) == POINTS.keys()


@pytest.mark.parametrize("mutant", ASSIGNMENT.mutants, ids=lambda mutant: mutant.name)
def test_a_mutant_is_the_solution_but_for_one_function(mutant: Mutant) -> None:
    solution = functions_of(ROOT / "solution" / ASSIGNMENT.entry)
    changed = functions_of(ROOT / mutant.path)
    different = {name for name in solution if solution[name] != changed.get(name)}
    assert changed.keys() == solution.keys()
    assert different == {check.split(".")[0] for check in mutant.fails}


def test_every_file_of_mutants_is_listed() -> None:
    listed = {Path(mutant.path).name for mutant in ASSIGNMENT.mutants}
    assert {path.name for path in (ROOT / "mutants").glob("*.py")} == listed


def test_the_starter_has_the_functions_and_parameters_of_the_solution() -> None:
    solution = signatures(ROOT / "solution" / ASSIGNMENT.entry)
    assert signatures(ROOT / "starter" / ASSIGNMENT.entry) == solution
    assert set(solution) == {function.name for function in ASSIGNMENT.functions}
