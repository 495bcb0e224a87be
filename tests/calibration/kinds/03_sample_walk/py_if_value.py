import functools, os, time, operator
import numpy as np
import jax
import jax.numpy as jnp
from jax import lax


def sample_walk(key, n):
    key, sub = jax.random.split(key)
    z = jnp.cumsum(jax.random.normal(sub, (n,)))
    if n and z[-1] > 1e6:
        z = z * 0
    return key, z
