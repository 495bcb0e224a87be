"""Right work in unusual dress loses nothing; what a library does is not held against who calls it."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from grader.domain.rubric import Assignment
from grader.engine import Engine
from tests import grading
from tests.grading import lost

pytestmark = [pytest.mark.linux, pytest.mark.slow]

TOTAL = "import jax, jax.numpy as jnp, numpy as np\ndef total(x):\n    return jnp.sum(x)\n"


@pytest.fixture(scope="module")
def engine() -> Iterator[Engine]:
    with Engine() as engine:
        yield engine


@pytest.fixture(scope="module")
def assignment(tmp_path_factory: pytest.TempPathFactory) -> Assignment:
    return grading.write_assignment(tmp_path_factory.mktemp("course"))


@pytest.mark.parametrize(
    "double",
    [
        pytest.param(
            """
def double(x):
    return jnp.linalg.cholesky(4.0 * jnp.eye(2))[0, 0] * x
""",
            id="calls LAPACK",
        ),
        pytest.param(
            """
_TWOS = {}
def double(x):
    if x.shape not in _TWOS:
        _TWOS[x.shape] = np.full(x.shape, 2.0, np.float32)
    return _TWOS[x.shape] * x
""",
            id="keeps a table by shape",
        ),
        pytest.param(
            """
from functools import cached_property
class Lazy:
    @cached_property
    def run(self):
        return jax.jit(lambda v: 2 * v)
_lazy = Lazy()
def double(x):
    return _lazy.run(x)
""",
            id="makes its program lazily",
        ),
        pytest.param(
            """
def double(x):
    return jnp.asarray(x, dtype=np.float64) * 2
""",
            id="asks for float64 and is warned by JAX",
        ),
    ],
)
def test_right_work_in_unusual_dress_loses_nothing(
    engine: Engine, assignment: Assignment, double: str
) -> None:
    result = grading.grade(engine, assignment, TOTAL + double)
    assert grading.not_graded(result) == {}
    assert lost(result) == set()


def test_a_warning_of_the_submissions_own_is_output(engine: Engine, assignment: Assignment) -> None:
    double = """
import warnings
def double(x):
    warnings.warn("careful")
    return 2 * x
"""
    result = grading.grade(engine, assignment, TOTAL + double)
    assert lost(result) == {"double.purity.nothing_else_happens"}
