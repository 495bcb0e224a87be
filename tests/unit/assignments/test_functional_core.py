"""The shipped assignment is whole and agrees with itself; what grading it finds is judged by calibration."""

from __future__ import annotations

import ast
import re
from pathlib import Path

import pytest

from grader.cli.demo.samples import Sample, read_samples
from grader.content.assignments import read_assignment
from grader.content.uploads import read_paths
from grader.domain.rubric import Assignment, Mutant
from tests.unit.assignments.shipped import FOLDER, check_points, functions_of, signatures

ROOT = FOLDER / "functional-core"
ASSIGNMENT = read_assignment(ROOT)
SAMPLES = read_samples(ROOT)
FAMILIES = {"values", "purity", "immutability", "prng", "jit"}
NOT_PYTHON = "does_not_parse.py"


POINTS = check_points(ROOT / "rubric" / "test_functional_core.py")


def test_the_points_add_up_to_a_hundred() -> None:
    assert sum(POINTS.values()) == 100


def test_every_function_has_values_purity_and_jit_criteria() -> None:
    for function in ASSIGNMENT.functions:
        families = {check.split(".")[1] for check in POINTS if check.startswith(function.name + ".")}
        assert {"values", "purity", "jit"} <= families <= FAMILIES


def test_every_check_has_a_mutant_that_it_catches() -> None:
    assert frozenset().union(*(mutant.fails for mutant in ASSIGNMENT.mutants)) == POINTS.keys()


@pytest.mark.parametrize("mutant", ASSIGNMENT.mutants, ids=lambda mutant: mutant.name)
def test_a_mutant_names_checks_that_exist_and_is_the_solution_but_for_one_function(mutant: Mutant) -> None:
    assert mutant.fails <= POINTS.keys()

    solution = functions_of(ROOT / "solution" / ASSIGNMENT.entry)
    changed = functions_of(ROOT / mutant.path)
    different = {name for name in solution if solution[name] != changed.get(name)}
    assert changed.keys() == solution.keys()
    assert different == {check.split(".")[0] for check in mutant.fails}


def test_every_file_of_mutants_and_samples_is_listed() -> None:
    assert {path.name for path in (ROOT / "mutants").glob("*.py")} == {
        Path(mutant.path).name for mutant in ASSIGNMENT.mutants
    }
    assert {path.name for path in (ROOT / "samples").iterdir() if path.suffix in (".py", ".ipynb")} == {
        sample.name for sample in SAMPLES
    }


@pytest.mark.parametrize("sample", SAMPLES, ids=lambda sample: sample.name)
def test_the_expected_score_of_a_sample_is_what_its_failed_checks_leave(sample: Sample) -> None:
    assert sample.fails <= POINTS.keys()
    assert sample.score == 100 - sum(POINTS[check] for check in sample.fails)


@pytest.mark.parametrize("sample", SAMPLES, ids=lambda sample: sample.name)
def test_a_sample_is_read_as_its_author_meant_it(sample: Sample) -> None:
    files = read_paths([sample.path], entry=ASSIGNMENT.entry, functions=wanted(ASSIGNMENT))
    if sample.name == NOT_PYTHON:
        return
    text = files.text_of(files.entry)
    defined = {node.name for node in ast.parse(text).body if isinstance(node, ast.FunctionDef)}
    missing = set(wanted(ASSIGNMENT)) - defined
    assert missing == ({"sample_walk"} if sample.name == "missing_function.py" else set())


def test_the_starter_has_the_functions_and_parameters_of_the_solution() -> None:
    solution = signatures(ROOT / "solution" / ASSIGNMENT.entry)
    assert signatures(ROOT / "starter" / ASSIGNMENT.entry) == solution
    assert set(solution) == set(wanted(ASSIGNMENT))


def test_the_lesson_names_the_speed_that_the_suite_asks_for() -> None:
    suite = (ROOT / "rubric" / "test_functional_core.py").read_text(encoding="utf-8")
    asked = re.search(r"at_least=(\d+)", suite)
    assert asked is not None
    assert f"at least {asked[1]} times faster" in (ROOT / "lesson.md").read_text(encoding="utf-8")


def wanted(assignment: Assignment) -> list[str]:
    return [function.name for function in assignment.functions]
