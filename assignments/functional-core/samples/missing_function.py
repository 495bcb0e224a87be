"""Sheet 1"""
from functools import partial

import jax
import jax.numpy as jnp


@jax.jit
def normalize(x):
    z = jnp.asarray(x, jnp.float32)
    z = z - jnp.mean(z, axis=1, keepdims=True)
    std = jnp.linalg.norm(z, axis=1, keepdims=True) / jnp.sqrt(z.shape[1])
    out = z / (std + 1e-6)
    return out.astype(jnp.bfloat16) if x.dtype == jnp.bfloat16 else out


@jax.jit
def set_diagonal(a, v):
    i = jnp.arange(min(a.shape))
    return a.at[i, i].set(jnp.asarray(v).astype(a.dtype))


@partial(jax.jit, static_argnames="n")
def random_walk(key, n):
    key, sub = jax.random.split(key)
    return key, jnp.cumsum(jax.random.normal(sub, (n,)))


@jax.jit
def pairwise_sq_dists(x, y):
    x = x.astype(jnp.float32)
    y = y.astype(jnp.float32)
    x2 = jnp.sum(x * x, axis=1)
    y2 = jnp.sum(y * y, axis=1)
    return jnp.maximum(jnp.add.outer(x2, y2) - 2 * x @ y.T, 0.0)


@jax.jit
def smooth(x, n_steps):
    def step(_, z):
        p = jnp.pad(z, 1, mode="edge")
        return jnp.convolve(p, jnp.array([1.0, 2.0, 1.0]) / 4, mode="valid")

    return jax.lax.fori_loop(0, n_steps, step, x.astype(jnp.float32))
