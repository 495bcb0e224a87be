"""What students download of a suite of every kind of check: the same verdicts, and nothing planted in it."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from grader.content.assignments import materialise, read_assignment
from grader.content.student_bundles import ANSWERS
from grader.domain.errors import AssignmentInvalid
from grader.domain.verdicts import Blame, Verdict, Visibility
from grader.engine import Engine
from tests import grading
from tests.grading import not_graded, of, table
from tests.handing_out import HandedOut, hand_out

pytestmark = [pytest.mark.linux, pytest.mark.slow]

SECRET = "plantedsecret"

SOLUTION = f"""
import jax.numpy as jnp

def double(x):
    {SECRET} = 2 * x
    return {SECRET}

def total(x):
    return jnp.sum(x ** 2)
"""

SUITE = f'''
"""About {SECRET}."""
import json as lib  # {SECRET}
import numpy as np
from rubrics import criterion, f32, oracles

SHAPE, HIDDEN_SHAPE = f32[5], {SECRET!r}

def in_torch(x):
    return (x ** 2).sum()

@criterion("values", points=2, function="double")
def test_twice_the_input(submission, reference, draw):
    """Every element is doubled."""
    submission.double.matches(reference.double, draw(SHAPE), draw(f32[2, 3]))

@criterion("values", points=1, function="total")
def test_ill_conditioned(submission, reference, draw):
    """The squares are added up."""
    submission.total.matches(reference.total, draw(f32[64].normal(5, 1)), conditioned=True)

@criterion("values", points=1, function="total")
def test_not_negative(submission, draw):
    """No sum of squares is negative."""
    submission.total.satisfies(lambda args, result: result >= 0, draw(SHAPE), says="no negative sum")

@criterion("transforms", points=1, function="total")
def test_slopes(submission, reference, draw):
    """jax.grad gives the right slopes."""
    submission.total.gradient_matches(oracles.finite_differences(reference.total), draw(SHAPE))
    submission.total.gradient_matches(reference.total, draw(SHAPE))
    submission.total.gradient_matches(oracles.torch(in_torch), draw(SHAPE))

@criterion("dtype", points=1, function="total")
def test_wide(submission, reference, draw):
    """Works with 64 bits."""
    submission.total.is_ready_for_x64(reference.total, draw(SHAPE))

@criterion("jit", points=1, function="double")
def test_any_size(submission, reference, draw):
    """One program serves every size."""
    submission.double.program_has_symbolic_size(reference.double, draw(f32[7]), draw(f32[2]))

@criterion("jit", points=1, function="total")
def test_quick(submission, baseline, draw):
    """Not slower than the baseline."""
    submission.total.is_faster_than(baseline.total, at_least=1, on=draw(f32[64]))

@criterion("values", points=5, function="double", visibility="hidden")
def test_{SECRET}(submission, reference, draw):
    """{SECRET}"""
    lib.dumps(HIDDEN_SHAPE)

@criterion("values", points=3, function="double", visibility="after_due")
def test_later_{SECRET}(submission, reference, draw):
    """Later, {SECRET}"""
    submission.double.matches(reference.double, draw(f32[42]))
'''

RIGHT = "import jax, jax.numpy as jnp, numpy as np, time\n"
PROGRAMS = {
    "right": RIGHT,
    "wrong on one line": f"""{RIGHT}
def double(x):
    half = x * 0.5
    return half + x

def total(x):
    squares = x ** 2
    return jnp.sum(squares[1:])
""",
    "keeps what it was given first": f"""{RIGHT}
FIRST = []
def double(x):
    FIRST.append(np.asarray(x) if isinstance(x, np.ndarray) else 1)
    return 2 * x

TABLE = {{}}
def total(x):
    if x.shape not in TABLE:
        TABLE[x.shape] = jnp.sum(x ** 2)
    return TABLE[x.shape]
""",
    "tells how it is called": f"""{RIGHT}
def double(x):
    return 2 * x if isinstance(x, jax.core.Tracer) else 3 * x

def total(x):
    return jnp.sum(x ** 2) if time.time() > 0 else jnp.sum(x)
""",
    "computes with NumPy": f"""{RIGHT}
def double(x):
    return np.asarray(x) * 2

def total(x):
    return float(np.sum(np.asarray(x) ** 2))
""",
    "raises": f"{RIGHT}\ndef double(x):\n    raise ValueError('no')\ndef total(x):\n    return x @ x[:2]\n",
    "takes too much": f"{RIGHT}\ndef double(x, y):\n    return x\ndef total(x):\n    return -(x @ x)\n",
}


@pytest.fixture(scope="module")
def engine() -> Iterator[Engine]:
    with Engine() as engine:
        yield engine


@pytest.fixture(scope="module")
def course(engine: Engine, tmp_path_factory: pytest.TempPathFactory) -> HandedOut:
    root = tmp_path_factory.mktemp("course")
    whole = grading.write_assignment(root / "whole", suite=SUITE, solution=SOLUTION, check_s=20)
    (whole.root / "solution/baseline.py").write_text(SOLUTION)
    return hand_out(read_assignment(whole.root), engine=engine, root=root / "handed-out")


def test_every_kind_of_visible_check_is_handed_out_but_what_is_timed(course: HandedOut) -> None:
    assert [check.id.rpartition(".")[2] for check in course.made.checks] == [
        "twice_the_input", "ill_conditioned", "not_negative", "slopes", "wide", "any_size",
    ]  # fmt: skip
    assert [check.id for check in course.made.about.left_out] == ["total.jit.quick"]
    assert [(part.count, part.points) for part in course.made.about.hidden] == [(1, 3), (1, 5)]


def test_nothing_that_was_planted_is_in_it(course: HandedOut) -> None:
    for name, data in course.made.files:
        assert SECRET.encode() not in data, name


@pytest.mark.parametrize("program", PROGRAMS)
def test_verdicts_codes_and_lines_are_the_servers(engine: Engine, course: HandedOut, program: str) -> None:
    files, seed = grading.files(PROGRAMS[program]), course.made.about.seed
    there = engine.grade(files, course.whole, seed=seed, only=frozenset({Visibility.VISIBLE}))
    here = engine.grade(files, course.handed_out, seed=seed)
    assert table(here) == [row for row in table(there) if row[0] != "total.jit.quick"]
    for check in here.results:
        if check.feedback is not None:
            assert grading.message(here, check.spec.id) == grading.message(there, check.spec.id)


def test_what_was_not_recorded_is_nobodys_failure_and_says_with_what_it_was_made(
    engine: Engine, course: HandedOut
) -> None:
    result = engine.grade(grading.files(SOLUTION), course.handed_out, seed="another")
    assert not_graded(result)["double.values.twice_the_input"] is Blame.COURSE
    assert of(result, "double.values.twice_the_input").verdict is Verdict.SKIPPED
    said = grading.message(result, "double.values.twice_the_input")
    assert "not your fault" in said
    assert "They were made with NumPy" in said


@pytest.mark.parametrize("damage", [b"", b"JXG1", b"no answers at all" * 10])
def test_damaged_answers_are_told_before_anything_is_graded(
    engine: Engine, course: HandedOut, tmp_path: Path, damage: bytes
) -> None:
    files = [(name, damage if name == ANSWERS else data) for name, data in course.made.files]
    damaged = read_assignment(materialise(files, tmp_path / "damaged"))
    with pytest.raises(AssignmentInvalid, match=r"answers\.bin, the recorded answers, is damaged .* again"):
        engine.grade(grading.files(SOLUTION), damaged, seed=course.made.about.seed)
