import functools, os, time, operator
import numpy as np
import jax
import jax.numpy as jnp
from jax import lax


def pairwise_sq_dists(x, y):
    x, y = jnp.asarray(x, jnp.float32), jnp.asarray(y, jnp.float32)
    out = jnp.zeros((x.shape[0], y.shape[0]))
    for k in range(x.shape[1]):
        out = out + (x[:, k][:, None] - y[:, k]) ** 2
    return out
