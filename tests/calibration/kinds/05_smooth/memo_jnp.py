import functools, os, time, operator
import numpy as np
import jax
import jax.numpy as jnp
from jax import lax


_E = {}


def _basis(d):
    if d not in _E:
        k = jnp.arange(d)
        q = jnp.cos(jnp.pi * (k[:, None] + 0.5) * k / d)
        _E[d] = q / jnp.linalg.norm(q, axis=0), jnp.cos(jnp.pi * k / (2 * d)) ** 2
    return _E[d]


def smooth(x, n_steps):
    q, lam = _basis(x.shape[0])
    return q @ (lam ** jnp.asarray(n_steps, jnp.float32) * (q.T @ jnp.asarray(x, jnp.float32)))
