"""Both executors give the same outputs, and the cheaper one is chosen."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import jax
import jax.numpy as jnp
import jax.random as jr
import ml_dtypes
import numpy as np
import pytest
from jax import export, lax

from grader.domain.errors import BenchFault, ProgramFailed
from grader.engine.bench import client
from grader.engine.bench.answers import How, Trouble
from grader.engine.protocol import LeafKind
from tests.unit.engine.bench.local import LocalBench, exported, leaves

RNG = np.random.default_rng(7)
ROWS = RNG.standard_normal((6, 5), dtype=np.float32)
VECTOR = RNG.standard_normal(9, dtype=np.float32)
STRANGE = np.array([0, -0.0, np.nan, 2.5, -np.inf, np.nan, -3, np.inf, 0.5, np.nan, 1, -7], np.float32)
FILTER, SIGNAL = (RNG.standard_normal(shape, dtype=np.float32) for shape in ((2, 3, 3), (2, 3, 8)))
BENCH = LocalBench()


def normalize(x):
    return (x - x.mean(1, keepdims=True)) / (x.std(1, keepdims=True) + 1e-6)


def set_diagonal(a, v):
    i = jnp.arange(min(a.shape))
    return a.at[i, i].set(v)


def sample_walk(key):
    key, sub = jr.split(key)
    return key, jnp.cumsum(jr.normal(sub, (12,)))


def pairwise(x, y):
    return jnp.maximum((x * x).sum(1)[:, None] + (y * y).sum(1)[None] - 2 * x @ y.T, 0)


def smooth(x, n):
    def step(_, x):
        p = jnp.concatenate([x[:1], x, x[-1:]])
        return (p[:-2] + 2 * p[1:-1] + p[2:]) / 4

    return lax.fori_loop(0, n, step, x)


PROGRAMS: list[tuple[Callable[..., Any], tuple[Any, ...]]] = [
    (normalize, (ROWS,)),
    (normalize, (ROWS[:0],)),
    (normalize, (ROWS.astype(ml_dtypes.bfloat16),)),
    (set_diagonal, (ROWS, np.float32(3))),
    (set_diagonal, (ROWS.astype(np.int32), np.int32(-4))),
    (sample_walk, (jr.key(3),)),
    (sample_walk, (jr.PRNGKey(3),)),
    (pairwise, (ROWS, ROWS[:4])),
    (smooth, (VECTOR, np.int32(5))),
    (lambda x: x > 0, (ROWS,)),
    (lambda x: jnp.sort(x, axis=0), (ROWS,)),
    (jnp.argsort, (STRANGE,)),
    (lambda x: jnp.argsort(x, descending=True), (STRANGE,)),
    (lambda x: (jnp.sort(x), jnp.median(x), jnp.unique(x, size=7)), (STRANGE,)),
    (lambda x: jnp.argsort(-x), (STRANGE.astype(ml_dtypes.bfloat16),)),
    (lambda x, w: lax.conv(x, w, (1,), "SAME"), (SIGNAL, FILTER)),
    (jax.grad(lambda x, w: (lax.conv(x, w, (1,), "SAME") ** 2).sum()), (SIGNAL, FILTER)),
    (jax.nn.softmax, (ROWS,)),
    (lambda x: x[jnp.array([0, 99, -1])], (VECTOR,)),
    (lambda x: jnp.take(x, 99), (VECTOR,)),
    (lambda x: x.at[jnp.array([1, 1, 99])].add(2.0), (VECTOR,)),
    (lambda x: (x.at[0].set(0.0), x + 1), (VECTOR,)),
    (lambda x, i: (x.at[i].mul(3.0), x[i], x), (ROWS, np.int32(2))),
    (lambda x: lax.fori_loop(0, 3, lambda i, c: (c[0].at[i].set(0.0), c[0] + c[1]), (x, x)), (VECTOR,)),
    (jax.grad(lambda x: (x.at[jnp.array([0, 2])].set(x[3]) ** 2).sum()), (VECTOR,)),
    (lambda x: lax.scan(lambda c, v: (c + v, c * v), 0.0, x), (VECTOR,)),
    (lambda x: lax.cond(x[0] > 0, jnp.sin, jnp.cos, x), (VECTOR,)),
    (jax.grad(lambda y: jnp.tanh(y @ y.T).sum()), (ROWS,)),
    (lambda x: (x.astype(jnp.uint8), x.astype(jnp.float16), x.astype(jnp.int8)), (ROWS,)),
    (lambda x, _unused: x * 2, (VECTOR, ROWS)),
    (lambda _: (), (VECTOR,)),
    (jax.jit(lambda x: x + 1, donate_argnums=0), (VECTOR,)),
]


@pytest.mark.parametrize("program, args", PROGRAMS)
def test_interpreter_and_compiler_agree(program: Callable[..., Any], args: tuple[Any, ...]) -> None:
    blob, sent = exported(program, *args), leaves(args)
    interpreted = client.evaluate(BENCH, blob, [sent], how=How.INTERPRET).outputs[0]
    compiled = client.evaluate(BENCH, blob, [sent], how=How.COMPILE).outputs[0]

    assert len(interpreted) == len(compiled)
    for one, other in zip(interpreted, compiled, strict=True):
        assert (one.dtype, one.shape, one.kind, one.impl) == (
            other.dtype,
            other.shape,
            other.kind,
            other.impl,
        )
        assert one.array is not None
        assert other.array is not None
        tolerance = 3e-2 if one.dtype == "bfloat16" else 2e-5
        np.testing.assert_allclose(
            one.array.astype(np.float64), other.array.astype(np.float64), rtol=tolerance, atol=tolerance
        )


def test_a_typed_key_comes_back_as_a_key() -> None:
    evaluation = client.evaluate(BENCH, exported(sample_walk, jr.key(3)), [leaves([jr.key(3)])])
    new_key = evaluation.outputs[0][0]

    assert (new_key.kind, new_key.impl, new_key.dtype) == (LeafKind.KEY, "threefry2x32", "uint32")
    np.testing.assert_array_equal(new_key.array, jr.key_data(jr.split(jr.key(3))[0]))


@pytest.mark.parametrize("how", [How.INTERPRET, How.COMPILE])
def test_a_program_for_several_platforms_runs_on_this_one(how: How) -> None:
    made = export.export(jax.jit(sample_walk), platforms=("cuda", "cpu"))(jr.key(3))
    outputs = client.evaluate(BENCH, bytes(made.serialize()), [leaves([jr.key(3)])], how=how).outputs[0]

    np.testing.assert_allclose(outputs[1].array, sample_walk(jr.key(3))[1], rtol=1e-5)


def test_several_input_sets_are_answered_in_order() -> None:
    sets = [leaves([VECTOR * scale]) for scale in (1, 2, 3)]
    outputs = client.evaluate(BENCH, exported(lambda x: x.sum(), VECTOR), sets).outputs

    sums = [float(each[0].array) for each in outputs if each[0].array is not None]
    np.testing.assert_allclose(sums, VECTOR.sum() * np.arange(1, 4), rtol=1e-5)


def test_double_precision_programs_keep_their_width() -> None:
    x = np.array([1.0, 1e-12, 1.0])
    with jax.enable_x64(True):
        blob = exported(lambda x: x.sum() - 2, x)

    for how in (How.INTERPRET, How.COMPILE):
        (output,) = client.evaluate(BENCH, blob, [leaves([x])], how=how).outputs[0]
        assert output.array is not None
        assert output.dtype == "float64"
        assert abs(float(output.array) - 1e-12) < 1e-15


def test_small_programs_are_interpreted_and_large_ones_compiled() -> None:
    for size, expected in ((4, How.INTERPRET), (200, How.COMPILE)):
        array = RNG.standard_normal((size, size), dtype=np.float32)
        evaluation = client.evaluate(BENCH, exported(lambda x: x @ x, array), [leaves([array])])
        assert evaluation.how is expected


def test_what_is_compiled_already_is_not_interpreted() -> None:
    bench, blob = LocalBench(), exported(lambda x: x * 3, VECTOR)
    client.evaluate(bench, blob, [leaves([VECTOR])], how=How.COMPILE)

    assert client.evaluate(bench, blob, [leaves([VECTOR])]).how is How.COMPILE


@pytest.mark.parametrize(
    "program, args",
    [
        (lambda x: x.T @ x, (ROWS[:0],)),
        (lambda x: x @ x.T, (ROWS.astype(ml_dtypes.bfloat16),)),
        (lambda x: jnp.linalg.cholesky(x @ x.T + jnp.eye(6)), (ROWS,)),
        (lambda x: jnp.abs(x + 1j * x), (VECTOR,)),
        (jax.grad(lambda w, x: (lax.conv(x, w, (1,), "SAME") ** 2).sum()), (FILTER, SIGNAL)),
    ],
    ids=["empty sum", "narrow product", "native code", "complex", "the gradient of a filter"],
)
def test_what_would_end_or_mislead_the_interpreter_is_compiled(
    program: Callable[..., Any], args: tuple[Any, ...]
) -> None:
    blob = exported(program, *args)

    assert client.evaluate(BENCH, blob, [leaves(args)]).how is How.COMPILE
    with pytest.raises(ProgramFailed) as refusal:
        client.evaluate(BENCH, blob, [leaves(args)], how=How.INTERPRET)
    assert refusal.value.code == Trouble.NOT_INTERPRETABLE


@pytest.mark.parametrize("dtype", [np.int8, np.int32, np.uint8, np.uint32])
@pytest.mark.parametrize("divide", [lax.div, lax.rem])
def test_integers_are_divided_as_xla_does_by_zero_and_minus_one_too(
    divide: Callable[..., Any], dtype: type[np.integer[Any]]
) -> None:
    limits = np.iinfo(dtype)
    numbers = np.array([limits.min, limits.max, 0, 1, 7], dtype)
    divisors = np.array([0, 1, 3, limits.max, limits.max if limits.min == 0 else -1], dtype)
    args = [np.repeat(numbers, 5), np.tile(divisors, 5)]
    blob = exported(divide, *args)
    outputs = [
        client.evaluate(BENCH, blob, [leaves(args)], how=how).outputs[0][0].array
        for how in (How.INTERPRET, How.COMPILE)
    ]

    np.testing.assert_array_equal(*outputs)


@pytest.mark.parametrize("wrong", [VECTOR[:3], VECTOR.astype(np.float64), np.arange(9, dtype=np.int32)])
def test_inputs_that_do_not_fit_are_the_callers_fault(wrong: np.ndarray) -> None:
    with pytest.raises(BenchFault, match="input 0 is") as fault:
        client.evaluate(BENCH, exported(lambda x: x + 1, VECTOR), [leaves([wrong])])
    assert fault.value.code == Trouble.BAD_INPUTS


def test_a_missing_input_is_the_callers_fault() -> None:
    with pytest.raises(BenchFault, match="takes 1 arrays, 0 were sent"):
        client.evaluate(BENCH, exported(lambda x: x + 1, VECTOR), [[]])


def test_the_cost_of_each_stage_is_told() -> None:
    evaluation = client.evaluate(LocalBench(), exported(normalize, ROWS), [leaves([ROWS])])

    assert set(evaluation.cost) == {"read", "interpret"}
    assert all(seconds >= 0 for seconds in evaluation.cost.values())
