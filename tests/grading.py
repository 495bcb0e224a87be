"""A small assignment for tests of the real engine, and short ways to grade a text against it."""

from __future__ import annotations

import textwrap
from collections.abc import Mapping
from pathlib import Path

from grader.content.assignments import read_assignment
from grader.domain.catalogue import render
from grader.domain.results import AttemptResult, CheckResult
from grader.domain.rubric import Assignment
from grader.domain.submission import SourceFile, SubmittedFiles
from grader.domain.verdicts import Blame, Verdict
from grader.engine import Engine

MANIFEST = """\
slug = "small"
title = "A small assignment"
entry = "submission.py"
lesson = "lesson.md"

[limits]
load_s = {load_s}
check_s = {check_s}
attempt_s = {attempt_s}
memory_mib = {memory_mib}

[[functions]]
name = "double"

[[functions]]
name = "total"
"""

SOLUTION = """\
import jax.numpy as jnp

def double(x):
    return 2 * x

def total(x):
    return jnp.sum(x)
"""

SUITE = '''\
from rubrics import criterion, f32

@criterion("values", points=2, function="double")
def test_twice_the_input(submission, reference, draw):
    """Every element is doubled."""
    submission.double.matches(reference.double, draw(f32[5]))

@criterion("purity", points=1, function="double")
def test_nothing_else_happens(submission, draw):
    """Nothing but the result changes."""
    submission.double.is_pure(draw(f32[5]))

@criterion("values", points=2, function="total")
def test_sum_of_all(submission, reference, draw):
    """The result is the sum."""
    submission.total.matches(reference.total, draw(f32[5]))

@criterion("jit", points=1, function="total")
def test_can_be_traced(submission, draw):
    """jax.jit(total) works."""
    submission.total.traces(draw(f32[5]))
'''

DOUBLE = frozenset({"double.values.twice_the_input", "double.purity.nothing_else_happens"})
TOTAL = frozenset({"total.values.sum_of_all", "total.jit.can_be_traced"})
ALL = DOUBLE | TOTAL


def write_assignment(
    root: Path,
    *,
    suite: str = SUITE,
    solution: str = SOLUTION,
    load_s: float = 4,
    check_s: float = 5,
    attempt_s: float = 120,
    memory_mib: int = 1024,
) -> Assignment:
    """The assignment as a folder, read back."""
    limits = {"load_s": load_s, "check_s": check_s, "attempt_s": attempt_s, "memory_mib": memory_mib}
    contents = {
        "assignment.toml": MANIFEST.format(**limits),
        "lesson.md": "# A small assignment\n",
        "starter/submission.py": "def double(x): ...\n\n\ndef total(x): ...\n",
        "solution/submission.py": solution,
        "rubric/test_small.py": suite,
    }
    for name, text in contents.items():
        path = root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
    return read_assignment(root)


def files(text: str, others: Mapping[str, str] | None = None) -> SubmittedFiles:
    """A submission of one main file, and helpers by name."""
    texts = {"submission.py": text, **(others or {})}
    sources = tuple(SourceFile(name=name, text=textwrap.dedent(body)) for name, body in texts.items())
    return SubmittedFiles(entry="submission.py", files=sources)


def grade(
    engine: Engine,
    assignment: Assignment,
    text: str,
    *,
    others: Mapping[str, str] | None = None,
    seed: str = "seed",
) -> AttemptResult:
    """One attempt on `text`, in which every function that is not defined is the right one."""
    return engine.grade(files(text, others), assignment, seed=seed)


def lost(result: AttemptResult) -> set[str]:
    """The checks that were judged and gave no points."""
    return {check.spec.id for check in result.results if check.earned == 0}


def not_graded(result: AttemptResult) -> dict[str, Blame | None]:
    """The checks without a judgement, and whose fault that is."""
    return {check.spec.id: check.blame for check in result.results if check.earned is None}


def of(result: AttemptResult, check_id: str) -> CheckResult:
    """The result of one check."""
    return next(check for check in result.results if check.spec.id == check_id)


def codes(result: AttemptResult) -> set[str]:
    """The feedback codes given."""
    return {check.feedback.code for check in result.results if check.feedback is not None}


def message(result: AttemptResult, check_id: str) -> str:
    """What the student reads about one check, in one line."""
    feedback = of(result, check_id).feedback
    assert feedback is not None
    return render(feedback).message


def table(result: AttemptResult) -> list[tuple[str, Verdict, str, str, int | None]]:
    """What two attempts on one submission must agree on."""
    return [
        (
            check.spec.id,
            check.verdict,
            str(check.earned),
            check.feedback.code if check.feedback else "",
            check.feedback.line if check.feedback else None,
        )
        for check in result.results
    ]
