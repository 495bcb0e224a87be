import functools, os, time, logging, random, sys
import numpy as np
import jax
import jax.numpy as jnp


@functools.lru_cache(maxsize=None)
def make(k):
    @jax.jit
    def go(a, v):
        i = jnp.arange(k)
        return a.at[i, i].set(v)
    return go


def set_diagonal(a, v):
    return make(min(a.shape))(jnp.asarray(a), v)
