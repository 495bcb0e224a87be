"""Mutant: normalize subtracts the mean in place: in the caller's array, if that is NumPy's."""

import jax
import jax.numpy as jnp

EPSILON = 1e-6


def normalize(x):
    if not jnp.issubdtype(x.dtype, jnp.floating):
        x = x.astype(jnp.float32)
    x -= x.mean(axis=1, keepdims=True)
    std = jnp.std(x, axis=1, keepdims=True)
    return jnp.asarray(x / (std + EPSILON))


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
    """x (d,) after n_steps rounds of the weights 1/4, 1/2, 1/4 with repeated ends, as float32."""

    def step(_, z):
        padded = jnp.pad(z, 1, mode="edge")
        return (padded[:-2] + 2 * z + padded[2:]) / 4

    return jax.lax.fori_loop(0, n_steps, step, jnp.asarray(x, jnp.float32))
