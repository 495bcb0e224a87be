import functools, os, time, operator
import numpy as np
import jax
import jax.numpy as jnp
from jax import lax


def pairwise_sq_dists(x, y):
    x, y = np.asarray(x, np.float64), np.asarray(y, np.float64)
    return jnp.asarray(((x[:, None] - y) ** 2).sum(-1), jnp.float32)
