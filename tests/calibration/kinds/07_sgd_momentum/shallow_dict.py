import functools, os, time, operator
import numpy as np
import jax
import jax.numpy as jnp
from jax import lax


def sgd_momentum(params, grads, state, lr):
    new = state
    v = jax.tree.map(lambda v, g: 0.9 * v + g, state, grads)
    if isinstance(new, dict):
        new = dict(new)
        for k in new:
            if isinstance(new[k], dict):
                new[k].update(v[k])
    return jax.tree.map(lambda p, v: p - lr * v, params, v), v
