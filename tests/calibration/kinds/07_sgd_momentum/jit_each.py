import functools, os, time, operator
import numpy as np
import jax
import jax.numpy as jnp
from jax import lax


def sgd_momentum(params, grads, state, lr):
    step = jax.jit(lambda p, v: p - lr * v)
    v = jax.tree.map(lambda v, g: 0.9 * v + g, state, grads)
    return jax.tree.map(step, params, v), v
