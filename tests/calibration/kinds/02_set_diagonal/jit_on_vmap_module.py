import functools, os, time, logging, random, sys
import numpy as np
import jax
import jax.numpy as jnp


def row(i, r, x):
    return jnp.where(jnp.arange(r.shape[0]) == i, x, r)


_rows = jax.jit(jax.vmap(row))


def set_diagonal(a, v):
    a = jnp.asarray(a)
    n, m = a.shape
    k = min(n, m)
    v = jnp.broadcast_to(jnp.asarray(v, a.dtype), (k,))
    v = jnp.concatenate([v, jnp.zeros(n - k, a.dtype)])
    if n == 0 or m == 0:
        return jnp.zeros_like(a)
    return _rows(jnp.arange(n), a, v)
