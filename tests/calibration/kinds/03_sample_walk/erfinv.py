import functools, os, time, operator
import numpy as np
import jax
import jax.numpy as jnp
from jax import lax


def sample_walk(key, n):
    key, a = jax.random.split(key)
    u = jax.random.uniform(a, (n,), minval=-0.999999, maxval=1.0)
    return key, jnp.cumsum(jnp.sqrt(2.0) * jax.scipy.special.erfinv(u))
