import functools, os, time, operator
import numpy as np
import jax
import jax.numpy as jnp
from jax import lax


def smooth(x, n_steps):
    x = jnp.asarray(x)
    def body(_, z):
        p = jnp.pad(z, 1, mode='edge')
        return ((p[:-2] + 2 * p[1:-1] + p[2:]) / 4).astype(z.dtype)
    return lax.fori_loop(0, n_steps, body, x)
