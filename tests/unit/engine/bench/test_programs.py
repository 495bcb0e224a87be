"""What is read from a program without running it."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import jax
import jax.numpy as jnp
import jax.random as jr
import numpy as np
import pytest
from jax import export, lax

from grader.domain.errors import BenchFault, ProgramFailed
from grader.engine.bench import client
from grader.engine.bench.answers import Aval, Loop, ProgramFacts, Trouble
from tests.unit.engine.bench.local import LocalBench, exported, leaves

BENCH = LocalBench()
X = np.linspace(0, 1, 8, dtype=np.float32)


def facts(function: Callable[..., Any], *args: Any) -> ProgramFacts:  # noqa: ANN401
    return client.inspect(BENCH, exported(function, *args))


def python_loop(x, n):
    for _ in range(n):
        x = jnp.sin(x) * 1.01
    return x


def test_two_exports_of_one_function_have_one_digest() -> None:
    assert facts(lambda x: x * 2 + 1, X).digest == facts(lambda y: y * 2 + 1, X).digest


@pytest.mark.parametrize(
    "other", [lambda x: x * 2 + 2, lambda x: x * 2 - 1, lambda x: 1 + x * 2], ids=["value", "op", "order"]
)
def test_different_functions_have_different_digests(other: Callable[..., Any]) -> None:
    assert facts(lambda x: x * 2 + 1, X).digest != facts(other, X).digest


def test_a_donated_argument_does_not_change_the_digest() -> None:
    assert facts(jax.jit(lambda x: x + 1, donate_argnums=0), X).digest == facts(lambda x: x + 1, X).digest


def test_a_python_loop_grows_with_n_and_a_scan_does_not() -> None:
    def scanned(n):
        return facts(lambda x: lax.scan(lambda c, _: (jnp.sin(c) * 1.01, None), x, None, length=n)[0], X).ops

    unrolled = [facts(lambda x, n=n: python_loop(x, n), X).ops for n in (4, 8, 16)]

    assert unrolled[2] - unrolled[1] == 2 * (unrolled[1] - unrolled[0]) > 0
    assert scanned(4) == scanned(8) == scanned(16)


def test_constants_and_returns_are_not_counted() -> None:
    assert facts(lambda x: x, X).ops == 0


def test_inputs_and_outputs_are_typed_keys_included() -> None:
    read = facts(lambda key, x: (key, x.sum() > 0), jr.key(0), X)

    assert read.inputs == (
        Aval(dtype="uint32", shape=(), key="threefry2x32"),
        Aval(dtype="float32", shape=(8,)),
    )
    assert read.outputs == (Aval(dtype="uint32", shape=(), key="threefry2x32"), Aval(dtype="bool", shape=()))


def test_loops_know_their_length_and_multiply() -> None:
    def nested(x):
        return lax.scan(lambda c, v: (lax.fori_loop(0, 3, lambda _, q: q * v, c), c), x[0], x)[1]

    assert facts(nested, X).loops == (Loop(trips=8, total=8), Loop(trips=3, total=24))
    assert facts(nested, X).sequential_steps == 32


def test_a_loop_in_a_function_called_in_a_loop_multiplies() -> None:
    @jax.jit
    def inner(c):
        return lax.fori_loop(0, 5, lambda _, q: q * 1.5, c)

    read = facts(lambda x: lax.fori_loop(0, 7, lambda _, c: inner(c) + inner(c + 1), x), X)

    assert read.sequential_steps == 7 + 7 * 2 * 5


def test_a_loop_that_depends_on_values_has_no_known_length() -> None:
    read = facts(lambda x, n: lax.fori_loop(0, n, lambda _, c: c * 2, x), X, np.int32(3))

    assert read.loops == (Loop(trips=None, total=None),)
    assert read.sequential_steps is None
    assert read.cost is None


def test_the_generators_own_loops_are_not_the_programs() -> None:
    assert facts(lambda key: jr.normal(key, (4,)), jr.key(0)).loops == ()


def test_the_largest_value_shows_a_needless_intermediate() -> None:
    x = np.zeros((10, 3), np.float32)
    wide = facts(lambda x: ((x[:, None] - x[None]) ** 2).sum(-1), x)
    narrow = facts(lambda x: (x**2).sum(1)[:, None] + (x**2).sum(1)[None] - 2 * x @ x.T, x)

    assert wide.largest_elements == 300
    assert narrow.largest_elements == 100


def test_constants_are_weighed_splats_by_one_element() -> None:
    table = np.arange(1000, dtype=np.float32)

    assert facts(lambda x: x + table[:8].sum() + jnp.asarray(table)[0], X).constant_bytes < 5000
    assert facts(lambda x: jnp.asarray(table) * x[0], X).constant_bytes >= 4000
    assert facts(lambda x: jnp.ones(1000) * x[0], X).constant_bytes < 100


def test_native_code_is_named() -> None:
    assert facts(lambda x: jnp.linalg.cholesky(jnp.outer(x, x)), X).custom_calls == ("lapack_spotrf_ffi",)


def symbolic(function: Callable[..., Any], shape: str) -> bytes:
    return exported(function, jax.ShapeDtypeStruct(export.symbolic_shape(shape), jnp.float32))


def test_a_program_that_leaves_sizes_open_runs_at_any_of_them() -> None:
    blob = symbolic(lambda x: x - x.mean(1, keepdims=True) * x.shape[0], "n, m")
    read = client.inspect(BENCH, blob)

    assert read.inputs == (Aval(dtype="float32", shape=("n", "m")),)
    assert read.is_symbolic
    assert not read.interpretable
    for shape in ((2, 3), (5, 1)):
        x = np.arange(np.prod(shape), dtype=np.float32).reshape(shape)
        found = client.evaluate(BENCH, blob, [leaves([x])]).outputs[0][0].array
        assert found is not None
        np.testing.assert_allclose(found, x - x.mean(1, keepdims=True) * shape[0])


def test_a_program_that_leaves_sizes_open_but_holds_for_one_only_fails_at_others() -> None:
    blob = symbolic(lambda x: x.reshape(7, 3), "n, 3")
    assert client.evaluate(BENCH, blob, [leaves([np.ones((7, 3), np.float32)])]).outputs
    with pytest.raises(ProgramFailed) as failed:
        client.evaluate(BENCH, blob, [leaves([np.ones((2, 3), np.float32)])])
    assert failed.value.code == Trouble.SIZES


def test_open_sizes_take_no_other_number_of_inputs() -> None:
    with pytest.raises(BenchFault, match="bad_inputs"):
        client.evaluate(BENCH, symbolic(lambda x: x + 1, "n"), [leaves([X, X])])


def test_facts_survive_their_journey_as_json() -> None:
    read = facts(lambda key, x: (jr.normal(key), lax.fori_loop(0, 3, lambda _, c: c, x)), jr.key(0), X)

    assert ProgramFacts.read(read.to_json()) == read
