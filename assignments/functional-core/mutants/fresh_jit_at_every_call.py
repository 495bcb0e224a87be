"""Mutant: four functions wrap a new function in jit at every call."""

import jax
import jax.numpy as jnp

EPSILON = 1e-6


def normalize(x):
    def standardise(x):
        rows = x.astype(jnp.float32)
        centred = rows - rows.mean(axis=1, keepdims=True)
        std = jnp.sqrt(jnp.mean(centred**2, axis=1, keepdims=True))
        dtype = x.dtype if jnp.issubdtype(x.dtype, jnp.floating) else jnp.float32
        return (centred / (std + EPSILON)).astype(dtype)

    return jax.jit(standardise)(jnp.asarray(x))


def set_diagonal(a, v):
    a = jnp.asarray(a)
    i = jnp.arange(min(a.shape))
    replace = jax.jit(lambda a, v: a.at[i, i].set(v))
    return replace(a, jnp.asarray(v).astype(a.dtype))


def sample_walk(key, n):
    @jax.jit
    def draw(key):
        new_key, steps_key = jax.random.split(key)
        return new_key, jnp.cumsum(jax.random.normal(steps_key, (n,)))

    return draw(key)


def pairwise_sq_dists(x, y):
    @jax.jit
    def expanded(x, y):
        xx = jnp.sum(x * x, axis=1)[:, None]
        yy = jnp.sum(y * y, axis=1)[None, :]
        return jnp.maximum(xx + yy - 2 * jnp.matmul(x, y.T, precision="highest"), 0)

    return expanded(jnp.asarray(x, jnp.float32), jnp.asarray(y, jnp.float32))


def smooth(x, n_steps):
    """x (d,) after n_steps rounds of the weights 1/4, 1/2, 1/4 with repeated ends, as float32."""

    def step(_, z):
        padded = jnp.pad(z, 1, mode="edge")
        return (padded[:-2] + 2 * z + padded[2:]) / 4

    return jax.lax.fori_loop(0, n_steps, step, jnp.asarray(x, jnp.float32))
