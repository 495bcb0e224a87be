import jax
import jax.numpy as jnp
import numpy as np
from jax import random

EPS = 1e-6


def normalize(x):
    x = jnp.asarray(x)
    if not jnp.issubdtype(x.dtype, jnp.floating):
        x = x.astype(jnp.float32)
    full = x.astype(jnp.float32)
    mean = jnp.mean(full, axis=-1, keepdims=True)
    std = jnp.std(full, axis=-1, keepdims=True)
    return ((full - mean) / (std + EPS)).astype(x.dtype)


def set_diagonal(a, v):
    a = jnp.asarray(a)
    k = min(a.shape)
    i = np.arange(k)  # k is known when tracing, so numpy is fine here
    return a.at[i, i].set(jnp.asarray(v).astype(a.dtype))


def sample_walk(key, n):
    steps = random.normal(key, (n,))
    positions = jnp.cumsum(steps)
    new_key, _ = random.split(key)
    return new_key, positions


def pairwise_sq_dists(x, y):
    x, y = jnp.asarray(x, jnp.float32), jnp.asarray(y, jnp.float32)
    xx = jnp.einsum("ik,ik->i", x, x)
    yy = jnp.einsum("jk,jk->j", y, y)
    xy = jnp.einsum("ik,jk->ij", x, y)
    return jnp.maximum(xx[:, None] - 2 * xy + yy[None, :], 0)


def smooth(x, n_steps):
    def average(_, z):
        padded = jnp.pad(z, 1, mode="edge")
        return (padded[:-2] + 2 * padded[1:-1] + padded[2:]) / 4

    return jax.lax.fori_loop(0, n_steps, average, jnp.asarray(x, jnp.float32))
