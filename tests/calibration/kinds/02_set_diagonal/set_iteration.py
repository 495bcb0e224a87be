import functools, os, time, logging, random, sys
import numpy as np
import jax
import jax.numpy as jnp


def set_diagonal(a, v):
    a = jnp.asarray(a)
    out = {}
    for name in {'first', 'second', 'third', 'fourth'}:
        out[name] = a * 1
    i = jnp.arange(min(a.shape))
    return out['third'].at[i, i].set(v)
