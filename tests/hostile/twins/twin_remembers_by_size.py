"""Honest: remembers, for each size and for nothing else, what it needs again: a compiled helper, a table of places."""

import functools

import jax
import jax.numpy as jnp
import numpy as np

_places = {}


@functools.lru_cache(maxsize=None)
def _compiled(dimensions):
    return jax.jit(lambda x, y: sum((x[:, None, d] - y[None, :, d]) ** 2 for d in range(dimensions)))


def pairwise_sq_dists(x, y):
    if x.shape[1] <= 3:
        return _compiled(x.shape[1])(x, y)
    return jnp.sum((x[:, None, :] - y[None, :, :]) ** 2, axis=-1)


def set_diagonal(a, v):
    n = a.shape[0]
    if n not in _places:
        _places[n] = np.arange(n)
    return jnp.asarray(a).at[_places[n], _places[n]].set(v)
