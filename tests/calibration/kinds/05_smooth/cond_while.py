import functools, os, time, operator
import numpy as np
import jax
import jax.numpy as jnp
from jax import lax


def smooth(x, n_steps):
    z = jnp.asarray(x, jnp.float32)
    step = lambda z: (jnp.r_[z[:1], z[:-1]] + 2 * z + jnp.r_[z[1:], z[-1:]]) / 4
    return lax.while_loop(lambda s: s[0] < n_steps, lambda s: (s[0] + 1, step(s[1])), (0, z))[1]
