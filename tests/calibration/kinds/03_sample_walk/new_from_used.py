import functools, os, time, operator
import numpy as np
import jax
import jax.numpy as jnp
from jax import lax


def sample_walk(key, n):
    sub = jax.random.split(key)[1]
    z = jax.random.normal(sub, (n,))
    return jax.random.split(sub)[0], jnp.cumsum(z)
