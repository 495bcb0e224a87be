import functools, os, time, operator
import numpy as np
import jax
import jax.numpy as jnp
from jax import lax


def sample_walk(key, n):
    key, sub = jax.random.split(key)
    return sub, jnp.cumsum(jax.random.normal(sub, (n,)))
