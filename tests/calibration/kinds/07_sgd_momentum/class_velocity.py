import functools, os, time, operator
import numpy as np
import jax
import jax.numpy as jnp
from jax import lax


class Opt:
    v = None


def sgd_momentum(params, grads, state, lr):
    if Opt.v is None:
        Opt.v = state
    Opt.v = jax.tree.map(lambda v, g: 0.9 * v + g, Opt.v, grads)
    return jax.tree.map(lambda p, v: p - lr * v, params, Opt.v), Opt.v
