import functools, os, time, operator
import numpy as np
import jax
import jax.numpy as jnp
from jax import lax


def smooth(x, n_steps):
    x = np.asarray(x, np.float32) if isinstance(x, np.ndarray) else jnp.asarray(x, jnp.float32)
    if not isinstance(n_steps, jax.core.Tracer) and n_steps == 0:
        return x
    def body(_, z):
        p = jnp.pad(z, 1, mode='edge')
        return (p[:-2] + 2 * p[1:-1] + p[2:]) / 4
    return lax.fori_loop(0, n_steps, body, jnp.asarray(x))
