"""Traces of functions that a submission wraps in `jax.jit` are counted, however it spells the wrapping."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

import jax
import jax.numpy as jnp
import pytest

from grader.engine.candidate.counting import TraceCounter

X = jnp.ones(3)


@pytest.fixture
def counter(monkeypatch: pytest.MonkeyPatch) -> TraceCounter:
    monkeypatch.setattr(jax, "jit", jax.jit)  # so that it is put back
    made = TraceCounter()
    made.install()
    return made


def traces(counter: TraceCounter, act: Callable[[], object]) -> int:
    before = counter.snapshot()
    act()
    return sum(counter.since(before).values())


def increment(x: Any) -> Any:  # noqa: ANN401 - a tracer
    return x + 1


def by_call() -> Any:  # noqa: ANN401 - a jitted function
    return jax.jit(increment)


def with_options() -> Any:  # noqa: ANN401 - as above
    return jax.jit(static_argnames=())(increment)


def by_partial() -> Any:  # noqa: ANN401 - as above
    return functools.partial(jax.jit, donate_argnums=())(increment)


def as_decorator() -> Any:  # noqa: ANN401 - as above
    @jax.jit
    def decorated(x: Any) -> Any:  # noqa: ANN401 - a tracer
        return x + 1

    return decorated


@pytest.mark.parametrize("wrap", [by_call, with_options, by_partial, as_decorator])
def test_every_spelling_works(counter: TraceCounter, wrap: Callable[[], Any]):
    jitted = wrap()
    assert jitted(X).tolist() == [2, 2, 2]
    assert traces(counter, lambda: jitted(X)) == 0


def test_one_trace_for_one_shape_and_another_for_another(counter: TraceCounter):
    jitted = jax.jit(lambda x: x + 1)
    assert traces(counter, lambda: [jitted(X), jitted(X + 1), jitted(jnp.ones(4))]) == 2


def test_the_same_function_wrapped_twice_is_traced_once(counter: TraceCounter):
    def double(x: Any) -> Any:  # noqa: ANN401 - a tracer
        return 2 * x

    assert traces(counter, lambda: [jax.jit(double)(X), jax.jit(double)(X)]) == 1


def test_a_fresh_function_at_every_call_is_traced_every_time(counter: TraceCounter):
    assert traces(counter, lambda: [jax.jit(lambda x: x - 1)(X) for _ in range(3)]) == 3


def test_counts_name_the_line_of_the_wrapped_function(counter: TraceCounter):
    before = counter.snapshot()
    jax.jit(increment)(jnp.ones(7))
    (label,) = counter.since(before)
    assert label.endswith(f":{increment.__code__.co_firstlineno} increment (float32[7])")


def test_what_is_no_plain_function_is_wrapped_all_the_same(counter: TraceCounter):
    assert jax.jit(functools.partial(jnp.add, 1))(X).tolist() == [2, 2, 2]
    assert counter.snapshot() == counter.snapshot()


def test_static_values_are_counted_together_and_other_types_apart(counter: TraceCounter):
    scaled = jax.jit(lambda x, n: x * n, static_argnums=1)
    before = counter.snapshot()
    for n in range(3):
        scaled(X, n)
    scaled(jnp.ones(5), 1)
    assert sorted(counter.since(before).values()) == [1, 3]


def test_long_signatures_are_cut_and_stay_different(counter: TraceCounter):
    first = jax.jit(lambda arrays: arrays[0])
    before = counter.snapshot()
    for last in (3, 4):
        first([*[jnp.ones(2)] * 50, jnp.ones(last)])
    labels = counter.since(before)
    assert len(labels) == 2
    assert max(map(len, labels)) < 200
