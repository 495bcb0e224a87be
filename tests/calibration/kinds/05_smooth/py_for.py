import functools, os, time, operator
import numpy as np
import jax
import jax.numpy as jnp
from jax import lax


def smooth(x, n_steps):
    x = jnp.asarray(x, jnp.float32)
    for _ in range(n_steps):
        p = jnp.pad(x, 1, mode='edge')
        x = (p[:-2] + 2 * p[1:-1] + p[2:]) / 4
    return x + 0
