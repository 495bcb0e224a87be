"""A wrong number is traced back to the line that made it; where that is unclear, to none."""

from __future__ import annotations

import textwrap
from collections.abc import Callable
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from grader.engine import trees
from grader.engine.candidate.transforms import stepped, transformed
from grader.engine.candidate.values import as_result_leaf
from grader.engine.protocol import Leaf
from rubrics.comparing import Result
from rubrics.landmarks import Landmarks
from rubrics.straying import parting
from rubrics.ways import Way, read_way

HEAD = "import jax\nimport jax.numpy as jnp\nfrom jax import lax, random\n"
X = jnp.asarray(np.random.default_rng(0).normal(size=(4, 7)), jnp.float32)
KEY = jax.random.key(3)

STANDARDISED = """
def f(x):
    mean = x.mean(axis=1, keepdims=True)
    std = jnp.std(x, axis=1, keepdims=True)
    return (x - mean) / (std + 1e-6)
"""
DROPPED = """
def f(key, x):
    keep = random.bernoulli(key, 0.8, x.shape)
    return jnp.where(keep, x / 0.8, 0.0)
"""


def way(code: str, *args: Any) -> Way:  # noqa: ANN401 - arrays
    scope: dict[str, Callable[..., Any]] = {}
    exec(compile(HEAD + textwrap.dedent(code), "submission.py", "exec"), scope)  # noqa: S102 - a submission
    structure, leaves = trees.pack(transformed(scope["f"], stepped())(*args), as_result_leaf)
    return read_way(Result(structure=structure, leaves=leaves))


def landmarks(code: str, *args: Any) -> Landmarks:  # noqa: ANN401 - arrays
    found = way(code, *args)
    return Landmarks.of([*found.given, *(step.value for step in found.steps)])


def line(wrong: str, right: str, *args: Any, after_agreement: bool = False) -> str | None:  # noqa: ANN401
    """The text of the line at which a wrong function leaves the right one."""
    place = parting(way(wrong, *args), landmarks(right, *args), after_agreement=after_agreement)
    if place is None:
        return None
    lines = (HEAD + textwrap.dedent(wrong)).splitlines()
    return lines[int(place.removeprefix("submission.py:")) - 1].strip()


WRONG = [
    (
        STANDARDISED.replace("jnp.std(x", "jnp.std(x, ddof=1"),
        "std = jnp.std(x, ddof=1, axis=1, keepdims=True)",
    ),
    (STANDARDISED.replace("x.mean(axis=1", "x.mean(axis=0"), "mean = x.mean(axis=0, keepdims=True)"),
    (STANDARDISED.replace("1e-6", "1e-1"), "return (x - mean) / (std + 1e-1)"),
    (
        """
        def spread(x, mean):
            return jnp.mean(jnp.abs(x - mean), axis=1)

        @jax.jit
        def f(x):
            mean = jnp.sum(x, axis=-1) / x.shape[-1]
            centred = x - mean[:, None]
            return centred / (spread(x, mean[:, None])[:, None] + 1e-6)
        """,
        "return jnp.mean(jnp.abs(x - mean), axis=1)",
    ),
]


@pytest.mark.parametrize("wrong, named", WRONG)
def test_the_line_that_makes_a_wrong_array_of_right_ones_is_named(wrong: str, named: str):
    assert line(wrong, STANDARDISED, X) == named


def test_a_right_function_parts_nowhere_however_it_is_written():
    other = """
    def f(x):
        mean = x.sum(axis=1) / 7
        centred = jnp.transpose(x) - mean
        return (centred / (jnp.sqrt((centred**2).mean(axis=0)) + 1e-6)).T
    """
    assert line(other, STANDARDISED, X) is None


def test_no_line_is_named_where_two_might_be_at_fault():
    wrong = STANDARDISED.replace("axis=1, keepdims=True)\n    return", "axis=0, keepdims=True)\n    return")
    wrong = wrong.replace("x.mean(axis=1", "x.mean(axis=0")
    assert line(wrong, STANDARDISED, X) is None


def test_draws_with_equal_keys_are_compared():
    wrong = DROPPED.replace("x / 0.8", "x")
    assert line(wrong, DROPPED, KEY, X) == "return jnp.where(keep, x, 0.0)"


def test_other_draws_are_no_fault():
    other = DROPPED.replace("bernoulli(key", "bernoulli(random.split(key)[0]")
    assert line(other, DROPPED, KEY, X) is None


RECURRENT = """
def f(x):
    def step(state, row):
        gate = jax.nn.sigmoid(row + state)
        state = (1 - gate) * state + gate * jnp.tanh(row)
        return state, state

    return lax.scan(step, jnp.zeros(7), x)
"""
COUNTED = """
def f(x):
    def body(i, state):
        half = state / 2
        return half + x[i]

    return lax.fori_loop(0, jnp.int32(4), body, jnp.ones(7))
"""


@pytest.mark.parametrize(
    "right, wrong, named",
    [
        (
            RECURRENT,
            RECURRENT.replace("gate * jnp.tanh(row)", "gate * row"),
            "state = (1 - gate) * state + gate * row",
        ),
        (RECURRENT, RECURRENT.replace("row + state)", "row)"), "gate = jax.nn.sigmoid(row)"),
        (COUNTED, COUNTED.replace("x[i]", "3 * x[i]"), "return half + 3 * x[i]"),
    ],
)
def test_the_line_inside_of_a_loop_is_named(right: str, wrong: str, named: str):
    assert line(wrong, right, X) == named


def test_a_loop_is_named_as_a_whole_where_the_solution_has_nothing_of_it():
    wrong = RECURRENT.replace("row + state)", "row)")
    assert line(wrong, "def f(x):\n    return jnp.cumsum(x, axis=0)[-1], x * 2\n", X) == (
        "return lax.scan(step, jnp.zeros(7), x)"
    )


def test_a_fault_of_a_later_round_is_named_by_the_loop():
    wrong = COUNTED.replace("return half", "return jnp.where(i > 2, 0.0, half)")
    assert line(wrong, COUNTED, X) == "return lax.fori_loop(0, jnp.int32(4), body, jnp.ones(7))"


def test_a_loop_of_too_many_steps_is_one_step():
    right = COUNTED.replace(
        "half = state / 2", "half = state / 2\n        for _ in range(130):\n            half = half + 1"
    )
    wrong = right.replace("x[i]", "3 * x[i]")
    assert line(wrong, right, X) == "return lax.fori_loop(0, jnp.int32(4), body, jnp.ones(7))"


def test_of_several_wrong_results_the_first_that_has_a_line_names_it():
    right = """
    def f(x):
        largest = x.max(axis=0)
        return {"a": largest, "b": x.sum(axis=0)}
    """
    wrong = right.replace("max", "min").replace("x.sum(axis=0)", "x.sum(axis=0) + 1")
    assert line(wrong, right, X) == "largest = x.min(axis=0)"


def test_ways_that_share_nothing_say_nothing_where_many_results_are_right():
    wrong = "def f(x):\n    return jnp.sort(x, axis=0)\n"
    assert line(wrong, STANDARDISED, X) == "return jnp.sort(x, axis=0)"
    assert line(wrong, STANDARDISED, X, after_agreement=True) is None
    assert line(WRONG[0][0], STANDARDISED, X, after_agreement=True) == WRONG[0][1]


def test_static_arguments_and_containers_pass_through():
    code = "def f(p, n, name):\n    return {name: p['x'][:n] * n, 'other': None}\n"
    found = way(code, {"x": X}, 2, "half")
    assert [step.operation for step in found.steps][-1] == "mul"
    assert found.result == (len(found.steps) - 1,)


def test_a_function_that_is_too_large_is_not_looked_through():
    with pytest.raises(Exception, match="250"):
        way("def f(x):\n    for _ in range(300):\n        x = x + 1\n    return x\n", X)


@pytest.mark.parametrize(
    "forged",
    [
        [1],
        {"steps": 3},
        {"steps": [["add|submission.py:1"]]},
        {"steps": [["add|submission.py:1|5|", X]]},
        {"steps": [["add|submission.py:1|x0|", "text"]]},
        {"steps": [], "result": ["7"]},
        {"steps": [], "result": ["-1"]},
    ],
)
def test_what_a_submission_forges_is_refused(forged: Any):  # noqa: ANN401 - anything
    def as_leaf(value: object) -> Leaf | None:
        return as_result_leaf(value) if isinstance(value, jax.Array) else None

    structure, leaves = trees.pack(forged, as_leaf)
    with pytest.raises(ValueError, match=r"."):
        read_way(Result(structure=structure, leaves=leaves))
