import functools, os, time, logging, random, sys
import numpy as np
import jax
import jax.numpy as jnp


def set_diagonal(a, v):
    b = jnp.array(a)
    i = jnp.arange(min(b.shape))
    r = b.at[i, i].set(v)
    if isinstance(a, jax.Array) and not isinstance(a, jax.core.Tracer):
        r.block_until_ready()
        a.delete()
    return r
