"""Mutant: pairwise_sq_dists builds the (n, m, d) array of all differences."""

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
    x = jnp.asarray(x, jnp.float32)
    y = jnp.asarray(y, jnp.float32)
    differences = x[:, None, :] - y[None, :, :]
    return jnp.sum(differences**2, axis=-1)


def smooth(x, n_steps):
    """x (d,) after n_steps rounds of the weights 1/4, 1/2, 1/4 with repeated ends, as float32."""

    def step(_, z):
        padded = jnp.pad(z, 1, mode="edge")
        return (padded[:-2] + 2 * z + padded[2:]) / 4

    return jax.lax.fori_loop(0, n_steps, step, jnp.asarray(x, jnp.float32))
