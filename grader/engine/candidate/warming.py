"""What every candidate would pay for again: an MLIR context, and the first trace of what programs consist of.

Runs in the zygote, so it starts no backend and no thread, and leaves nothing that tells what is graded.
"""

from __future__ import annotations

import functools
import importlib
from collections.abc import Callable
from typing import Any

import jax
import jax.numpy as jnp
from jax import lax
from jax._src.interpreters import mlir as jax_mlir
from jaxlib.mlir import ir

from grader.engine.candidate import staging

_VECTOR = jax.ShapeDtypeStruct((3,), jnp.float32)
_MATRIX = jax.ShapeDtypeStruct((3, 3), jnp.float32)
_COUNT = jax.ShapeDtypeStruct((), jnp.int32)


def prewarm() -> None:
    """Make what all candidates share. Call once, before forking."""
    _context()
    key = jax.eval_shape(lambda: jax.random.key(0))
    for program, inputs in (
        (_arithmetic, (_MATRIX, _VECTOR)),
        (_updates, (_MATRIX, _VECTOR)),
        (_control, (_VECTOR, _COUNT)),
        (_draws, (key,)),
        (_derivatives, (_VECTOR,)),
    ):
        traced = staging.trace(program, inputs)
        staging.facts(traced)
        staging.fingerprint(traced)
    importlib.import_module("jax._src.export.serialization")  # which JAX puts off to the first export


def share_context() -> None:
    """Let all programs of this process be lowered in one MLIR context; JAX makes two anew for each.

    Making one costs 4 ms of CPU, as much as lowering a small program. Several threads may use one context.
    Call in a candidate, not before forking: the bench, forked from the same zygote, has a context of its own.
    """
    shared = _context()
    jax_mlir.make_ir_context = lambda: shared


@functools.cache
def _context() -> ir.Context:
    return jax_mlir.make_ir_context()


def _arithmetic(x: Any, y: Any) -> Any:  # noqa: ANN401 - tracers, as below
    centred = (x - x.mean(axis=1, keepdims=True)) / (jnp.sqrt(x.var(axis=1, keepdims=True)) + 1e-6)
    product = jnp.exp(-centred) @ y + jnp.sum(x * x, axis=1) - 2 * jnp.matmul(x, y)
    return jnp.where(product > 0, jnp.maximum(product, 0.0), jnp.abs(product)).astype(jnp.float32)


def _updates(x: Any, y: Any) -> Any:  # noqa: ANN401
    i = jnp.arange(min(x.shape))
    padded = jnp.pad(y, 1, mode="edge")
    return x.at[i, i].set(y), x.at[0].add(1.0), jnp.concatenate([y, padded[:-2]]), x[:, None, :] - y, x.T


def _control(x: Any, n: Any) -> Any:  # noqa: ANN401
    looped = lax.fori_loop(0, n, lambda _, z: (z + jnp.roll(z, 1)) / 2, x)
    scanned = lax.scan(lambda carry, z: (carry + z, carry), jnp.float32(0), x)
    branched = lax.cond(n > 0, lambda z: z, lambda z: -z, x)
    ended = lax.while_loop(lambda state: state[0] < n, lambda state: (state[0] + 1, state[1] * 2), (0, x))
    return looped, scanned, branched, ended, jax.vmap(jnp.sum)(x[:, None]), jnp.cumsum(x)


def _draws(key: Any) -> Any:  # noqa: ANN401
    first, second = jax.random.split(key)
    third = jax.random.fold_in(first, 1)
    return first, jax.random.normal(second, (3,)), jax.random.uniform(third, (3,)), jax.random.split(key, 3)


def _derivatives(x: Any) -> Any:  # noqa: ANN401
    def loss(w: Any) -> Any:  # noqa: ANN401
        return jnp.mean((w * x - jnp.tanh(w)) ** 2)

    gradient: Callable[..., Any] = jax.grad(loss)
    return gradient(x), jax.value_and_grad(loss)(x), jax.jit(loss)(x)
