import functools, os, time, logging, random, sys
import numpy as np
import jax
import jax.numpy as jnp


_last = {}


def set_diagonal(a, v):
    _last['a'] = a
    a = jnp.asarray(a)
    i = jnp.arange(min(a.shape))
    return a.at[i, i].set(v)
