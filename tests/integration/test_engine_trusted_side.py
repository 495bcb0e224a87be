"""Faults of the course or of whoever uses the engine: told as theirs, never at a student's cost."""

from __future__ import annotations

import sys
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest

from grader.domain.errors import AssignmentInvalid, EngineFault
from grader.domain.results import AttemptResult, Progress, Stage
from grader.domain.rubric import Assignment
from grader.domain.verdicts import Blame, Verdict, Visibility
from grader.engine import Engine, supervisor
from tests import grading
from tests.grading import SOLUTION, SUITE, lost, not_graded

pytestmark = [pytest.mark.linux, pytest.mark.slow]
collect_ignore_glob = [] if sys.platform == "linux" else ["*"]

BROKEN = '''

@criterion("values", points=1, function="total")
def test_of_a_broken_kind(submission, draw):
    """Something about total."""
    {body}
'''
BROKEN_ID = "total.values.of_a_broken_kind"


@pytest.fixture(scope="module")
def engine() -> Iterator[Engine]:
    with Engine() as engine:
        yield engine


def assignment(folder: Path, *, suite: str = SUITE, solution: str = SOLUTION, **limits: float) -> Assignment:
    return grading.write_assignment(folder / "course", suite=suite, solution=solution, **limits)  # type: ignore[arg-type]


def with_check(folder: Path, body: str) -> Assignment:
    return assignment(folder, suite=SUITE + BROKEN.format(body=body))


@pytest.mark.parametrize(
    "body",
    [
        "1 / 0",
        "assert False",
        "import sys; sys.exit(0)",
        "import pytest; pytest.skip('not today')",
        "import pytest; pytest.xfail('known')",
        "submission.total.matches('no such thing')",
        "submission.no_such_function.is_pure()",
        "raise MemoryError",
    ],
)
def test_a_check_that_breaks_is_the_courses_fault_and_the_others_stand(
    engine: Engine, tmp_path: Path, body: str
):
    result = grading.grade(engine, with_check(tmp_path, body), SOLUTION)
    assert not_graded(result) == {BROKEN_ID: Blame.COURSE}
    assert lost(result) == set()
    assert result.score == 6


@pytest.mark.parametrize(
    "body", ["raise KeyboardInterrupt", "import pytest; pytest.exit('early', returncode=0)"]
)
def test_a_check_that_ends_the_run_gives_nobody_a_point_or_a_zero(engine: Engine, tmp_path: Path, body: str):
    result = grading.grade(engine, with_check(tmp_path, body), SOLUTION)
    assert BROKEN_ID in not_graded(result)
    assert set(not_graded(result).values()) == {Blame.COURSE}
    assert lost(result) == set()


def test_a_suite_that_ends_the_examiner_costs_that_check_only(engine: Engine, tmp_path: Path):
    result = grading.grade(engine, with_check(tmp_path, "import os; os._exit(0)"), SOLUTION)
    assert not_graded(result) == {BROKEN_ID: Blame.SYSTEM}
    assert lost(result) == set()


def test_a_suite_may_print_what_it_likes(engine: Engine, tmp_path: Path):
    body = "import os, sys; print('x' * 100_000); os.write(1, b'raw'); print('no', file=sys.__stdout__)"
    result = grading.grade(engine, with_check(tmp_path, body), SOLUTION)
    assert result.score == result.max_score


@pytest.mark.parametrize(
    "suite, says",
    [
        ("def test_x(:\n", "SyntaxError"),
        ("import no_such_module\n", "no_such_module"),
        ("raise SystemExit(0)\n", "rubric"),
        ("x = 1\n", "rubric"),
        ("def test_without_a_mark():\n    pass\n", "no @criterion"),
        (SUITE.replace('"""Every element is doubled."""', ""), "no docstring"),
        (SUITE.replace('function="total"', 'function="median"'), "'median', which assignment.toml lacks"),
    ],
)
def test_a_suite_that_cannot_be_collected_is_an_invalid_assignment(
    engine: Engine, tmp_path: Path, suite: str, says: str
):
    broken = assignment(tmp_path, suite=suite)
    with pytest.raises(AssignmentInvalid, match=says):
        engine.rubric(broken)
    with pytest.raises(AssignmentInvalid):
        grading.grade(engine, broken, SOLUTION)


def test_a_reference_that_fails_is_the_courses_fault(engine: Engine, tmp_path: Path):
    broken = assignment(tmp_path, solution=SOLUTION.replace("return 2 * x", "raise KeyError('oh')"))
    result = grading.grade(engine, broken, SOLUTION)
    assert not_graded(result) == {"double.values.twice_the_input": Blame.COURSE}
    assert lost(result) == set()


def test_a_reference_that_hangs_ends_with_what_was_judged(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(supervisor, "GRACE_S", 3.0)
    hanging = SOLUTION.replace("return jnp.sum(x)", "\n    while True: pass")
    course = assignment(tmp_path, solution=hanging, attempt_s=5)
    with Engine() as engine:
        result = grading.grade(engine, course, SOLUTION)
        assert not_graded(result) == dict.fromkeys(grading.TOTAL, Blame.SYSTEM)
        assert lost(result) == set()
        assert result.score == 3
        healthy = grading.write_assignment(tmp_path / "healthy")
        assert lost(grading.grade(engine, healthy, SOLUTION)) == set()


def test_a_progress_callback_that_raises_loses_nothing(engine: Engine, tmp_path: Path):
    def broken(progress: Progress) -> None:
        raise RuntimeError(progress.stage)

    course = assignment(tmp_path)
    result = engine.grade(grading.files(SOLUTION), course, seed="s", on_progress=broken)
    assert result.score == result.max_score
    assert grading.grade(engine, course, SOLUTION).score == result.max_score


def test_an_interrupt_in_a_progress_callback_ends_the_attempt_and_not_the_next_one(
    engine: Engine, tmp_path: Path
):
    def interrupted(progress: Progress) -> None:
        if progress.done == 1:
            raise KeyboardInterrupt

    course = assignment(tmp_path)
    with pytest.raises(KeyboardInterrupt):
        engine.grade(grading.files(SOLUTION), course, seed="s", on_progress=interrupted)
    assert lost(grading.grade(engine, course, "import jax.numpy as jnp\n")) == grading.ALL


def test_progress_is_told_check_by_check(engine: Engine, tmp_path: Path):
    told: list[Progress] = []
    engine.grade(grading.files(SOLUTION), assignment(tmp_path), seed="s", on_progress=told.append)
    assert [progress.stage for progress in told] == [Stage.LOADING, *[Stage.CHECKING] * 4, Stage.SCORING]
    assert [progress.done for progress in told] == [0, 0, 1, 2, 3, 4]
    assert {progress.total for progress in told} == {4}


def test_two_threads_grade_one_after_the_other(engine: Engine, tmp_path: Path):
    course = assignment(tmp_path)
    wrong = SOLUTION.replace("2 * x", "3 * x")
    results: dict[str, AttemptResult] = {}

    def grade(text: str) -> None:
        results[text] = grading.grade(engine, course, text)

    threads = [threading.Thread(target=grade, args=(text,)) for text in (SOLUTION, wrong)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert lost(results[SOLUTION]) == set()
    assert lost(results[wrong]) == {"double.values.twice_the_input"}


def test_only_the_checks_asked_for_are_run(engine: Engine, tmp_path: Path):
    hidden = SUITE.replace('points=2, function="total"', 'points=2, function="total", visibility="hidden"')
    course = assignment(tmp_path, suite=hidden)
    visible = engine.grade(grading.files(SOLUTION), course, seed="s", only=frozenset({Visibility.VISIBLE}))
    assert [check.spec.id for check in visible.results] == [
        "double.values.twice_the_input",
        "double.purity.nothing_else_happens",
        "total.jit.can_be_traced",
    ]
    assert visible.max_score == 4


def test_a_submission_of_many_megabytes_is_graded(engine: Engine, tmp_path: Path):
    padding = {f"data{index}": f"TABLE = {'x' * 500_000!r}\n" for index in range(6)}
    others = {f"{name}.py": text for name, text in padding.items()}
    text = "".join(f"import {name}\n" for name in padding) + SOLUTION
    try:
        result = grading.grade(engine, assignment(tmp_path), text, others=others)
    except EngineFault as fault:
        pytest.fail(str(fault))
    assert lost(result) == set()


def test_a_result_says_where_it_comes_from(engine: Engine, tmp_path: Path):
    result = grading.grade(engine, assignment(tmp_path), SOLUTION, seed="the seed")
    assert result.seed == "the seed"
    assert result.environment.jax
    assert "system call filter" in result.environment.layers
    assert {check.verdict for check in result.results} == {Verdict.PASSED}
    assert {"load", "export", "examiner"} <= result.cost.keys()


def test_nothing_in_the_working_folder_is_imported(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    for name in ("jax.py", "queue.py", "pytest.py", "conftest.py", "sitecustomize.py"):
        (tmp_path / name).write_text("raise SystemExit('imported from the working folder')\n")
    monkeypatch.chdir(tmp_path)
    with Engine() as engine:
        assert lost(grading.grade(engine, assignment(tmp_path), SOLUTION)) == set()
