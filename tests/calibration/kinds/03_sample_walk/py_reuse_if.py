import functools, os, time, operator
import numpy as np
import jax
import jax.numpy as jnp
from jax import lax


def sample_walk(key, n):
    key, sub = jax.random.split(key)
    z = jax.random.normal(sub, (n,))
    if n and z[0] > 1e6:
        z = z * 0
    z = z + 0 * jax.random.uniform(sub, (n,))
    return key, jnp.cumsum(z)
