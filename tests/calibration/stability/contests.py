"""Programs that race: pairs whose true ratio is known, because one does the other's work several times over.

Each pair differs in what it leans on, since neighbours on the machine slow arithmetic, memory and dispatch
differently.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import jax
import jax.numpy as jnp
import numpy as np
from jax import export, lax

from grader.engine.protocol import Leaf, LeafKind
from rubrics.checks.speed import INPUT_SETS

Program = Callable[[jax.Array], jax.Array]


@dataclass(frozen=True, slots=True, kw_only=True)
class Contest:
    """A quick and a slow program, exported, with inputs for both."""

    name: str
    about: str
    quick: bytes
    slow: bytes
    sets: Sequence[Sequence[Leaf]]


def contests() -> tuple[Contest, ...]:
    """All pairs; building them traces six programs and compiles none."""
    return (
        _contest("trips", "the same loop, 100 and 600 trips", _trips(100), _trips(600), shape=(256,)),
        _contest("rows", "a matrix product, and row after row", _at_once, _row_by_row, shape=(256, 64)),
        _contest("memory", "one pass over 1.6 MB, and four", _passes(1), _passes(4), shape=(400_000,)),
    )


def _contest(name: str, about: str, quick: Program, slow: Program, *, shape: tuple[int, ...]) -> Contest:
    rng = np.random.default_rng(0)
    inputs = [rng.standard_normal(shape, dtype=np.float32) for _ in range(INPUT_SETS)]
    return Contest(
        name=name,
        about=about,
        quick=_exported(quick, inputs[0]),
        slow=_exported(slow, inputs[0]),
        sets=[[Leaf.of(array, kind=LeafKind.JAX)] for array in inputs],
    )


def _exported(program: Program, example: np.ndarray) -> bytes:
    return bytes(export.export(jax.jit(program))(example).serialize())


def _trips(count: int) -> Program:
    return lambda x: lax.fori_loop(0, count, lambda _, y: jnp.sin(y) + x, x)


def _at_once(x: jax.Array) -> jax.Array:
    norms = (x * x).sum(1)
    return norms[:, None] + norms[None] - 2 * x @ x.T


def _row_by_row(x: jax.Array) -> jax.Array:
    return lax.map(lambda row: ((row - x) ** 2).sum(1), x)


def _passes(count: int) -> Program:
    return lambda x: lax.fori_loop(0, count, lambda i, total: total + (jnp.exp(x + i) * x).sum(), 0.0)
