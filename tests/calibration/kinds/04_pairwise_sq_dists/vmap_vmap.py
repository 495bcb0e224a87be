import functools, os, time, operator
import numpy as np
import jax
import jax.numpy as jnp
from jax import lax


def pairwise_sq_dists(x, y):
    x, y = jnp.asarray(x, jnp.float32), jnp.asarray(y, jnp.float32)
    d = lambda a, b: jnp.sum((a - b) ** 2)
    return jax.vmap(lambda a: jax.vmap(lambda b: d(a, b))(y))(x)
