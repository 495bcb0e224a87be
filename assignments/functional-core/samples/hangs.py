import jax
import jax.numpy as jnp
import numpy as np


def normalize(x):
    x = jnp.asarray(x)
    out = jnp.asarray(x, jnp.float32)
    out = (out - out.mean(axis=1, keepdims=True)) / (out.std(axis=1, keepdims=True) + 1e-6)
    return out.astype(x.dtype) if x.dtype == jnp.bfloat16 else out


def set_diagonal(a, v):
    a = jnp.asarray(a)
    v = jnp.asarray(v).astype(a.dtype)
    i = jnp.arange(min(a.shape))
    return a.at[(i, i)].set(v)


def sample_walk(key, n):
    key, noise = jax.random.split(key)
    return key, jnp.cumsum(jax.random.normal(noise, (n,), dtype=jnp.float32))


def pairwise_sq_dists(x, y):
    x = jnp.asarray(x, jnp.float32)
    y = jnp.asarray(y, jnp.float32)
    d2 = -2 * x @ y.T + jnp.sum(x**2, axis=1)[:, None] + jnp.sum(y**2, axis=1)
    return jnp.maximum(d2, 0)


def smooth(x, n_steps):
    x = jnp.asarray(x, jnp.float32)
    d = x.shape[0]
    neighbours = np.zeros((d, 2), dtype=int)
    i = 0
    while i < d: neighbours[i] = max(i - 1, 0), min(i + 1, d - 1)

    def step(_, z):
        return (z[neighbours[:, 0]] + 2 * z + z[neighbours[:, 1]]) / 4

    return jax.lax.fori_loop(0, n_steps, step, x)
