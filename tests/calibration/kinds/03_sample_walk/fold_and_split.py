import functools, os, time, operator
import numpy as np
import jax
import jax.numpy as jnp
from jax import lax


def sample_walk(key, n):
    new = jax.random.fold_in(key, 0)
    sub = jax.random.split(key)[1]
    return new, jnp.cumsum(jax.random.normal(sub, (n,)))
