import functools, os, time, operator
import numpy as np
import jax
import jax.numpy as jnp
from jax import lax


def sample_walk(key, n):
    key, sub = jax.random.split(key)
    z = jax.random.normal(sub, (n,))
    return key, jnp.cumsum(z) - z
