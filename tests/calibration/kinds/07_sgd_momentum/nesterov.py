import functools, os, time, operator
import numpy as np
import jax
import jax.numpy as jnp
from jax import lax


def sgd_momentum(params, grads, state, lr):
    v = jax.tree.map(lambda v, g: 0.9 * v + g, state, grads)
    return jax.tree.map(lambda p, v, g: p - lr * (0.9 * v + g), params, v, grads), v
