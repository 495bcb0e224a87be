"""Honest: returns a plain tuple, but works with a class of its own that has operators and a long repr."""

from typing import NamedTuple

import jax
import jax.numpy as jnp


class Walk(NamedTuple):
    key: jax.Array
    positions: jax.Array

    def __eq__(self, other):
        return bool(jnp.allclose(self.positions, other.positions))

    __hash__ = None

    def __repr__(self):
        return "Walk(" + ", ".join(map(str, self.positions)) + ")"


def _walk(key, n):
    key, sub = jax.random.split(key)
    steps = jax.random.normal(sub, shape=(n,))
    return Walk(key, jnp.pad(jnp.cumsum(steps), (1, 0)))


def sample_walk(key, n):
    walk = _walk(key, n)
    return walk.key, walk.positions
