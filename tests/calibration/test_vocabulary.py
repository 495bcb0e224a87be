"""Judgements that the labelled tasks use little: each lets right work pass, and names what is wrong."""

from __future__ import annotations

import textwrap
from collections.abc import Iterator
from pathlib import Path

import pytest

from grader.domain.rubric import Assignment
from grader.domain.submission import SourceFile, SubmittedFiles
from grader.domain.verdicts import Verdict
from grader.engine import Engine
from tests.grading import write_assignment

pytestmark = pytest.mark.slow

HEAD = "import functools\nimport jax\nimport jax.numpy as jnp\nimport numpy as np\nfrom jax import lax\n\n"

SOLUTION = """
def double(x, scale):
    return jnp.where(jnp.sum(x) > 0, jnp.sin(x) * scale, x * scale)


def total(x):
    return jnp.sum(x)
"""

SUITE = '''
from rubrics import criterion, f32

VECTOR = f32[4].between(0.5, 1)

@criterion("transforms", points=1, function="double")
def test_gradient(submission, reference, draw):
    """The derivative with respect to x is right."""
    submission.double.gradient_matches(reference.double, draw(VECTOR, 2.0), draw(f32[4].full(0), 2.0))

@criterion("transforms", points=1, function="double")
def test_rows(submission, draw):
    """Works row by row."""
    submission.double.maps_over(draw(f32[5, 4], f32[5]), mapped=(0, 1))
    submission.double.maps_over(draw(f32[3, 4], 2.0))

@criterion("jit", points=1, function="double")
def test_scan(submission, draw):
    """Fits the body of a scan."""
    submission.double.carries_in_scan(draw(VECTOR, 2.0))

@criterion("jit", points=1, function="double")
def test_size(submission, draw):
    """Needs little memory and few steps."""
    submission.double.needs_at_most(draw(f32[16], 2.0), elements=64, steps=16)
'''

GRADIENT, ROWS = "double.transforms.gradient", "double.transforms.rows"
SCAN, SIZE = "double.jit.scan", "double.jit.size"

WRONG = {
    "a custom derivative with a mistake": (
        """
        @jax.custom_jvp
        def s(x):
            return jnp.sin(x)

        @s.defjvp
        def _(primals, tangents):
            return jnp.sin(primals[0]), -jnp.cos(primals[0]) * tangents[0]

        def double(x, scale):
            return jnp.where(jnp.sum(x) > 0, s(x) * scale, x * scale)
        """,
        {GRADIENT: "transforms.wrong_gradient"},
    ),
    "a derivative that is stopped": (
        (
            "def double(x, scale):\n    x = lax.stop_gradient(x)\n"
            "    return jnp.where(jnp.sum(x) > 0, jnp.sin(x) * scale, x * scale)\n"
        ),
        {GRADIENT: "transforms.wrong_gradient"},
    ),
    "a root in the branch that is not taken": (
        (
            "def double(x, scale):\n    y = jnp.where(x > 0, jnp.sin(jnp.sqrt(x) ** 2), x)\n"
            "    return jnp.where(jnp.sum(x) > 0, jnp.where(x > 0, y, jnp.sin(x)) * scale, x * scale)\n"
        ),
        {GRADIENT: "transforms.gradient_not_finite"},
    ),
    "a carry of another type": (
        (
            "def double(x, scale):\n    y = jnp.where(jnp.sum(x) > 0, jnp.sin(x) * scale, x * scale)\n"
            "    return y.astype(jnp.bfloat16)\n"
        ),
        {SCAN: "jit.scan_carry"},
    ),
    "an array that is far too large": (
        (
            "def double(x, scale):\n    big = jnp.sum(x[:, None] * jnp.eye(x.shape[0]), axis=1)\n"
            "    return jnp.where(jnp.sum(x) > 0, jnp.sin(big) * scale, big * scale)\n"
        ),
        {SIZE: "jit.large_temporary"},
    ),
    "a loop that is far too long": (
        (
            "def double(x, scale):\n    x = lax.fori_loop(0, 500, lambda i, v: v * 1.0, x)\n"
            "    return jnp.where(jnp.sum(x) > 0, jnp.sin(x) * scale, x * scale)\n"
        ),
        {SIZE: "jit.many_steps"},
    ),
    "a branch on a value": (
        "def double(x, scale):\n    if jnp.sum(x) > 0:\n        x = jnp.sin(x)\n    return x * scale\n",
        {
            GRADIENT: "jit.tracer_bool",
            ROWS: "jit.tracer_bool",
            SCAN: "jit.tracer_bool",
            SIZE: "jit.tracer_bool",
        },
    ),
}


@pytest.fixture(scope="module")
def assignment(tmp_path_factory: pytest.TempPathFactory) -> Assignment:
    root: Path = tmp_path_factory.mktemp("vocabulary")
    return write_assignment(root, suite=SUITE, solution=HEAD + SOLUTION, check_s=60)


@pytest.fixture(scope="module")
def engine() -> Iterator[Engine]:
    with Engine() as engine:
        yield engine


def failures(engine: Engine, assignment: Assignment, code: str) -> dict[str, str]:
    text = HEAD + textwrap.dedent(code)
    files = SubmittedFiles(entry="submission.py", files=(SourceFile(name="submission.py", text=text),))
    result = engine.grade(files, assignment, seed="vocabulary")
    return {
        check.spec.id: check.feedback.code if check.feedback else str(check.verdict)
        for check in result.results
        if check.verdict is not Verdict.PASSED
    }


def test_the_solution_passes(engine: Engine, assignment: Assignment):
    assert failures(engine, assignment, SOLUTION) == {}


@pytest.mark.parametrize("code, expected", WRONG.values(), ids=WRONG)
def test_a_fault_fails_the_check_that_it_breaks(
    engine: Engine, assignment: Assignment, code: str, expected: dict[str, str]
):
    assert failures(engine, assignment, code) == expected
