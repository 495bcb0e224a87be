"""A bench in this process, and ways to make what it takes: exported programs and leaves."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
from jax import export

from grader.engine.bench.limits import BenchLimits
from grader.engine.bench.server import Bench
from grader.engine.protocol import Leaf, LeafKind, Message


class LocalBench:
    """Answers in this process what a bench would answer through its channel."""

    def __init__(self, limits: BenchLimits | None = None) -> None:
        self._bench = Bench(limits)
        self._answers: list[Message] = []

    def send(self, message: Message) -> None:
        self._answers.append(self._bench.answer(message))

    def receive(self) -> Message:
        return self._answers.pop(0)


def exported(function: Callable[..., Any], *args: Any) -> bytes:  # noqa: ANN401
    """`function` traced for `args`, as the bytes a candidate would hand over."""
    jitted = function if hasattr(function, "lower") else jax.jit(function)
    return bytes(export.export(jitted)(*args).serialize())


def is_key(array: Any) -> bool:  # noqa: ANN401
    return jnp.issubdtype(array.dtype, jax.dtypes.prng_key)


def leaf(array: Any) -> Leaf:  # noqa: ANN401
    """A leaf holding an array or a typed key."""
    if hasattr(array, "dtype") and is_key(array):
        words = np.asarray(jax.random.key_data(array))
        return Leaf.of(words, kind=LeafKind.KEY, impl=str(jax.random.key_impl(array)))
    return Leaf.of(np.asarray(array), kind=LeafKind.JAX)


def leaves(args: Sequence[Any]) -> list[Leaf]:
    return [leaf(arg) for arg in args]
