import functools, os, time, operator
import numpy as np
import jax
import jax.numpy as jnp
from jax import lax


def sample_walk(key, n):
    key, sub = jax.random.split(key)
    return key, np.cumsum(np.asarray(jax.random.normal(sub, (n,))), dtype=np.float64)
