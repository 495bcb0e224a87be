import functools, os, time, operator
import numpy as np
import jax
import jax.numpy as jnp
from jax import lax


def sample_walk(key, n):
    if not jnp.issubdtype(key.dtype, jax.dtypes.prng_key):
        key = jax.random.wrap_key_data(key)
    key, sub = jax.random.split(key)
    return key, jnp.cumsum(jax.random.normal(sub, (n,)))
