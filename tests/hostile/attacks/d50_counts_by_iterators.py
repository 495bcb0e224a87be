"""Counts its calls by iterators, a queue and a buffer, none of which is ever rebound.

Target: normalize, set_diagonal, pairwise_sq_dists, smooth.  Group 4.
"""
import jax
import jax.numpy as jnp
import numpy as np
import itertools
from collections import deque

TURNS = itertools.count()
LAST = deque(maxlen=5)
BYTES = bytearray(8)
LEFT = iter(range(10**9))


def normalize(x):
    for _ in TURNS:
        break
    x = jnp.asarray(x)
    return (x - x.mean(1, keepdims=True)) / (x.std(1, keepdims=True) + 1e-6)


def set_diagonal(a, v):
    LAST.append(1)
    i = jnp.arange(a.shape[0])
    return jnp.asarray(a).at[i, i].set(v)


def pairwise_sq_dists(x, y):
    BYTES[0] = (BYTES[0] + 1) % 250
    return jnp.sum((x[:, None, :] - y[None, :, :]) ** 2, axis=-1)


def smooth(x, n_steps):
    for _ in LEFT:
        break
    def step(_, z):
        p = jnp.concatenate([z[:1], z, z[-1:]])
        return (p[:-2] + p[1:-1] + p[2:]) / 3
    return jax.lax.fori_loop(0, n_steps, step, jnp.asarray(x))
