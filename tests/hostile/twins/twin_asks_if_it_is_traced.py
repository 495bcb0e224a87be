"""Honest: treats tracers and small cases apart, with the same numbers, and has a loop that is needed."""

import jax
import jax.numpy as jnp


def pairwise_sq_dists(x, y):
    x, y = jnp.asarray(x), jnp.asarray(y)
    if isinstance(x, jax.core.Tracer):
        return jnp.sum((x[:, None, :] - y[None, :, :]) ** 2, axis=-1)
    return jax.lax.fori_loop(
        0,
        x.shape[1],
        lambda c, total: total + (x[:, c][:, None] - y[:, c][None, :]) ** 2,
        jnp.zeros((x.shape[0], y.shape[0]), x.dtype),
    )


def set_diagonal(a, v):
    a = jnp.asarray(a)
    if a.shape[0] == 1:
        return jnp.broadcast_to(jnp.asarray(v, a.dtype), (1, 1))
    if a.shape[0] <= 4 and jnp.ndim(v) == 0:
        return jnp.where(jnp.eye(a.shape[0], dtype=bool), v, a)
    i = jnp.arange(a.shape[0])
    return a.at[i, i].set(v)
