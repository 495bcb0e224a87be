"""Mutant: smooth scans over a hundred steps and ignores those beyond."""

import jax
import jax.numpy as jnp

EPSILON = 1e-6


def normalize(x):
    """Standardise every row of x (n, d); bfloat16 stays bfloat16, every other type becomes float32."""
    x = jnp.asarray(x)
    rows = x.astype(jnp.float32)
    centred = rows - rows.mean(axis=1, keepdims=True)
    # Centring first keeps the spread exact when the rows lie far from zero.
    std = jnp.sqrt(jnp.mean(centred**2, axis=1, keepdims=True))
    dtype = x.dtype if jnp.issubdtype(x.dtype, jnp.floating) else jnp.float32
    return (centred / (std + EPSILON)).astype(dtype)


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
    """Squared distances (n, m) from |x|^2 + |y|^2 - 2 x.y: one matrix product, no (n, m, d) array."""
    x = jnp.asarray(x, jnp.float32)
    y = jnp.asarray(y, jnp.float32)
    xx = jnp.sum(x * x, axis=1)[:, None]
    yy = jnp.sum(y * y, axis=1)[None, :]
    xy = jnp.matmul(x, y.T, precision="highest")
    # Rounding can push a distance of nearly zero below zero.
    return jnp.maximum(xx + yy - 2 * xy, 0)


def smooth(x, n_steps):
    def step(z, i):
        padded = jnp.pad(z, 1, mode="edge")
        smoothed = (padded[:-2] + 2 * z + padded[2:]) / 4
        return jnp.where(i < n_steps, smoothed, z), None

    return jax.lax.scan(step, jnp.asarray(x, jnp.float32), jnp.arange(100))[0]
