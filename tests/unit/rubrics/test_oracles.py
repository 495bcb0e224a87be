"""Gradients from three sources agree on smooth points, and say so where they know nothing."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from rubrics import oracles
from rubrics.comparing import Tolerance, difference
from rubrics.drawing import Case, Draw
from rubrics.failures import SuiteMisused
from rubrics.reference import CourseFunction
from rubrics.specs import ArraySpec, bf16, f32, i32, key

DRAW = Draw("seed", "check")
WEIGHTS = {"w": f32[3], "b": f32[()]}


def loss(params: Any, x: Any, y: Any) -> Any:  # noqa: ANN401 - arrays of any library
    return ((x @ params["w"] + params["b"] - y) ** 2).mean()


def course(function: Callable[..., Any], *static: str) -> CourseFunction:
    return CourseFunction(function, static)


def case() -> Case:
    return DRAW(WEIGHTS, f32[6, 3], f32[6])


@pytest.mark.parametrize("wrt", [0, 1, 2])
@pytest.mark.parametrize(
    "oracle",
    [oracles.finite_differences(course(loss)), oracles.torch(loss)],
    ids=["differences", "torch"],
)
def test_all_oracles_agree(oracle: oracles.GradientOracle, wrt: int):
    drawn = case()
    expected = course(loss).gradient(drawn, wrt=wrt)
    found = difference(oracle.gradient(drawn, wrt=wrt), expected, tolerance=Tolerance(atol=1e-5, rtol=1e-5))
    assert found is None


def test_a_wrong_derivative_rule_of_the_reference_is_found():
    @jax.custom_jvp
    def sine(x: jax.Array) -> jax.Array:
        return jnp.sin(x)

    sine.defjvps(lambda t, _, x: -jnp.cos(x) * t)
    reference, drawn = course(sine), DRAW(f32[4])
    right = oracles.finite_differences(reference).gradient(drawn, wrt=0)
    assert difference(reference.gradient(drawn, wrt=0), right, tolerance=Tolerance()) is not None


def test_a_gradient_has_the_arguments_type_and_is_exact_to_it():
    drawn = DRAW(bf16[5])
    [leaf] = oracles.finite_differences(course(lambda x: x**2)).gradient(drawn, wrt=0).leaves
    assert leaf.dtype == "bfloat16"
    assert leaf.array is not None
    np.testing.assert_array_equal(leaf.array, (2 * drawn.args[0].array.astype(np.float64)).astype(bf16.dtype))


@pytest.mark.parametrize(
    "function, point",
    [
        (lambda x: jnp.maximum(x, 0), f32[2].full(0)),
        (jnp.abs, f32[2].full(0)),
        (jnp.floor, f32[2].full(1)),
        (lambda x: 1 / x, f32[1].full(0)),
    ],
)
def test_a_point_that_is_not_smooth_is_the_suites_mistake(function: Callable[..., Any], point: ArraySpec):
    with pytest.raises(SuiteMisused, match="draw smooth points"):
        oracles.finite_differences(course(function)).gradient(DRAW(point), wrt=0)


def test_static_arguments_stay_constants():
    power = course(lambda x, n: x**n, "n")
    [leaf] = oracles.finite_differences(power).gradient(DRAW(f32[2].full(2), 3), wrt=0).leaves
    assert leaf.array is not None
    np.testing.assert_allclose(leaf.array, [12, 12], rtol=1e-6)


def test_large_arguments_are_refused():
    with pytest.raises(SuiteMisused, match="at most 2000"):
        oracles.finite_differences(course(jnp.sum)).gradient(DRAW(f32[2001]), wrt=0)


def test_torch_takes_integers_and_containers():
    found = oracles.torch(lambda xs, i: {"picked": xs[0][i], "count": i}).gradient(
        DRAW([f32[4]], i32[2].full(1, 3)), wrt=0
    )
    assert found.leaves[0].array is not None
    assert found.leaves[0].array.tolist() == [0, 1, 0, 1]


def test_torch_takes_no_keys():
    with pytest.raises(SuiteMisused, match="PRNG key"):
        oracles.torch(lambda _, x: x).gradient(DRAW(key, f32[2]), wrt=1)


def test_a_torch_function_that_ignores_the_argument_is_the_suites_mistake():
    with pytest.raises(SuiteMisused, match="does not depend"):
        oracles.torch(lambda _, y: y.sum()).gradient(DRAW(f32[2], f32[2]), wrt=0)


def test_a_suite_that_wants_torch_where_there_is_none_is_told_how_to_get_it(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setitem(__import__("sys").modules, "torch", None)
    with pytest.raises(SuiteMisused, match=r"pip install 'jax-grader\[torch\]'"):
        oracles.torch(loss).gradient(case(), wrt=0)
