import functools, os, time, operator
import numpy as np
import jax
import jax.numpy as jnp
from jax import lax


from jax.flatten_util import ravel_pytree


def sgd_momentum(params, grads, state, lr):
    p, un = ravel_pytree(params)
    g, _ = ravel_pytree(grads)
    v, _ = ravel_pytree(state)
    v = 0.9 * v + g
    return un(p - lr * v), un(v)
