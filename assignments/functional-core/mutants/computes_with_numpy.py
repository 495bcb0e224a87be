"""Mutant: two functions compute with NumPy, so that they cannot be traced."""

import jax
import jax.numpy as jnp
import numpy as np

EPSILON = 1e-6


def normalize(x):
    dtype = x.dtype if jnp.issubdtype(x.dtype, jnp.floating) else jnp.float32
    rows = np.asarray(x, np.float32)
    centred = rows - rows.mean(axis=1, keepdims=True)
    std = np.sqrt(np.mean(centred**2, axis=1, keepdims=True))
    return jnp.asarray(centred / (std + EPSILON), dtype)


def set_diagonal(a, v):
    """A new matrix: a (n, m) with v, a scalar or a vector of length min(n, m), on its main diagonal."""
    a = jnp.asarray(a)
    i = jnp.arange(min(a.shape))
    return a.at[i, i].set(jnp.asarray(v).astype(a.dtype))


def sample_walk(key, n):
    """(new_key, positions): the running sums of n independent standard normal steps."""
    new_key, steps_key = jax.random.split(key)
    return new_key, jnp.cumsum(jax.random.normal(steps_key, (n,)))


def pairwise_sq_dists(x, y):
    x = np.asarray(x, np.float32)
    y = np.asarray(y, np.float32)
    xx = np.sum(x * x, axis=1)[:, None]
    yy = np.sum(y * y, axis=1)[None, :]
    return jnp.asarray(np.maximum(xx + yy - 2 * x @ y.T, 0))


def smooth(x, n_steps):
    """x (d,) after n_steps rounds of the weights 1/4, 1/2, 1/4 with repeated ends, as float32."""

    def step(_, z):
        padded = jnp.pad(z, 1, mode="edge")
        return (padded[:-2] + 2 * z + padded[2:]) / 4

    return jax.lax.fori_loop(0, n_steps, step, jnp.asarray(x, jnp.float32))
