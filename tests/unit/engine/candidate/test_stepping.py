"""Run step by step, a function gives what it gives at once, whatever it is built of."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from jax import lax, random

from grader.engine.candidate.stepping import MAX_STEPS, TooManySteps, with_steps

X = jnp.asarray([[0.5, -1.0, 2.0], [1.5, 0.25, -0.75]])


@jax.custom_vjp
def clipped(x):
    return jnp.clip(x, -1, 1)


clipped.defvjp(lambda x: (clipped(x), x), lambda x, g: (g * (jnp.abs(x) < 1),))

PROGRAMS: dict[str, Callable[..., Any]] = {
    "plain": lambda x: (x - x.mean(axis=1, keepdims=True)) / jnp.std(x),
    "nested jit": jax.jit(lambda v: jax.jit(jnp.sin)(v) + 1),
    "donated": lambda x: jax.jit(lambda v: v * 2, donate_argnums=0)(x + 1),
    "custom derivative": lambda x: jax.nn.relu(clipped(x)) + jax.grad(lambda v: clipped(v).sum())(x),
    "checkpoint": jax.grad(lambda v: jax.checkpoint(jnp.sin)(v).sum()),
    "scan": lambda x: lax.scan(lambda c, row: (c + row, c * row), jnp.zeros(3), x),
    "while": lambda x: lax.while_loop(lambda c: c[0] < 3, lambda c: (c[0] + 1, c[1] * 2), (0, x))[1],
    "cond": lambda x: lax.cond(x[0, 0] > 0, jnp.sin, jnp.cos, x),
    "vmap": jax.vmap(lambda row: jnp.outer(row, row)),
    "sort and gather": lambda x: jnp.sort(x, axis=1)[:, jnp.array([0, 2])],
    "linear algebra": lambda x: jnp.linalg.solve(x @ x.T, x),
    "keys": lambda x: x + random.normal(random.fold_in(random.key(0), 3), x.shape),
    "a key returned": lambda x: (random.split(random.key(1))[0], x.sum()),
    "containers": lambda x: {"a": [x, (x + 1, None)], "n": 3},
    "its own input": lambda x: x,
    "a constant": lambda _: jnp.arange(3),
}


def returned(function: Callable[..., Any]) -> list[Any]:
    """What the steps say the function returned; inputs and constants, which no step makes, left out."""
    found = with_steps(function)(X)
    arrays = [array for _, *made in found["steps"] for array in made]
    return [arrays[int(name)] for name in found["result"] if name and not name.startswith("x")]


def expected(function: Callable[..., Any]) -> list[Any]:
    leaves = jax.tree_util.tree_leaves(function(X))
    return [
        random.key_data(leaf) if jnp.issubdtype(jnp.asarray(leaf).dtype, jax.dtypes.prng_key) else leaf
        for leaf in leaves
        if leaf is not X
    ]


@pytest.mark.parametrize("name", PROGRAMS)
def test_the_steps_lead_to_the_result(name: str):
    made = returned(PROGRAMS[name])
    wanted = expected(PROGRAMS[name])
    constants = len(wanted) - len(made)
    assert constants == {"containers": 1}.get(name, 0), "only what no step makes may be missing"
    for array, right in zip(made, wanted[: len(made)] if constants else wanted, strict=True):
        np.testing.assert_allclose(array, right, rtol=1e-5)


def test_uses_point_backwards_and_inputs_are_told_from_constants():
    found = with_steps(lambda x: (x + 1) * jnp.float32(2))(X)
    abouts = [about.split("|") for about, *_ in found["steps"]]
    assert [(operation, uses) for operation, _, uses, _ in abouts] == [("add", "x0"), ("mul", "0")]


def test_the_first_rounds_of_a_loop_come_before_it_and_each_result_has_its_own():
    found = with_steps(lambda x: lax.scan(lambda c, row: (c + row, c * 2), jnp.zeros(3), x))(X)
    steps = [about.split("|")[::2] for about, *_ in found["steps"]]
    assert [name for name, _ in steps if name in ("add", "scan")] == ["add", "add", "scan", "scan"]
    carry, outputs = (set(uses.split(",")) for name, uses in steps if name == "scan")
    assert carry & outputs == {"x0"}


def test_a_key_among_the_inputs_is_told_as_its_words():
    found = with_steps(random.uniform)(random.key(5))
    assert found["given"][0].tolist() == random.key_data(random.key(5)).tolist()


def test_loops_are_one_step_and_long_functions_are_refused():
    assert len(with_steps(lambda x: lax.fori_loop(0, 999, lambda _, v: v + 1, x))(X)["steps"]) < 9

    def long(x):
        for _ in range(MAX_STEPS + 1):
            x = x + 1
        return x

    with pytest.raises(TooManySteps):
        with_steps(long)(X)


def test_large_arrays_are_refused():
    with pytest.raises(TooManySteps):
        with_steps(lambda x: jnp.zeros((2048, 1024)) + x[0, 0])(X)
