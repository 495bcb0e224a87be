import functools, os, time, operator
import numpy as np
import jax
import jax.numpy as jnp
from jax import lax


def pairwise_sq_dists(x, y):
    x, y = jnp.asarray(x, jnp.float32), jnp.asarray(y, jnp.float32)
    d2 = (x * x).sum(1)[:, None] + (y * y).sum(1) - 2 * x @ y.T
    return jnp.sqrt(jnp.maximum(d2, 0.0))
