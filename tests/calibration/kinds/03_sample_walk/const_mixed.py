import functools, os, time, operator
import numpy as np
import jax
import jax.numpy as jnp
from jax import lax


def sample_walk(key, n):
    extra = jax.random.normal(jax.random.key(42), (n,)) * 0
    key, sub = jax.random.split(key)
    return key, jnp.cumsum(jax.random.normal(sub, (n,)) + extra)
