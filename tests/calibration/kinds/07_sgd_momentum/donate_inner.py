import functools, os, time, operator
import numpy as np
import jax
import jax.numpy as jnp
from jax import lax


@functools.partial(jax.jit, donate_argnums=(0,))
def _v(v, g):
    return 0.9 * v + g


def sgd_momentum(params, grads, state, lr):
    v = jax.tree.map(_v, state, grads)
    return jax.tree.map(lambda p, v: p - lr * v, params, v), v
