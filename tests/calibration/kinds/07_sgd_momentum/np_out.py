import functools, os, time, operator
import numpy as np
import jax
import jax.numpy as jnp
from jax import lax


def sgd_momentum(params, grads, state, lr):
    def step(v, g):
        return np.add(0.9 * np.asarray(v), np.asarray(g), out=v) if isinstance(v, np.ndarray) else 0.9 * np.asarray(v) + np.asarray(g)
    v = jax.tree.map(step, state, grads)
    return jax.tree.map(lambda p, v: jnp.asarray(p) - jnp.asarray(lr * v, p.dtype), params, v), jax.tree.map(jnp.asarray, v)
