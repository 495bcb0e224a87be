import functools, os, time, operator
import numpy as np
import jax
import jax.numpy as jnp
from jax import lax


def smooth(x, n_steps):
    def body(z, _):
        p = jnp.pad(z, 1, mode='edge')
        return (p[:-2] + 2 * p[1:-1] + p[2:]) / 4, None
    return lax.scan(body, jnp.asarray(x, jnp.float32) + 0, None, length=n_steps)[0]
