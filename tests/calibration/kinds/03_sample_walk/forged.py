import functools, os, time, operator
import numpy as np
import jax
import jax.numpy as jnp
from jax import lax


def sample_walk(key, n):
    data = jax.random.key_data(key) if jnp.issubdtype(key.dtype, jax.dtypes.prng_key) else key
    k2 = jax.random.wrap_key_data(data + 1)
    z = jax.random.normal(k2, (n,))
    return jax.random.split(key)[0], jnp.cumsum(z)
