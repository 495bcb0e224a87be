import functools, os, time, operator
import numpy as np
import jax
import jax.numpy as jnp
from jax import lax


def sample_walk(key, n):
    key, a, b = jax.random.split(key, 3)
    u = jax.random.uniform(a, (n,), minval=1e-7)
    v = jax.random.uniform(b, (n,))
    z = jnp.sqrt(-2 * jnp.log(u)) * jnp.cos(2 * jnp.pi * v)
    return key, jnp.cumsum(z)
