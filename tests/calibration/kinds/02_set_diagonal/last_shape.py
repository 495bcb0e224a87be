import functools, os, time, logging, random, sys
import numpy as np
import jax
import jax.numpy as jnp


last_shape = None


def set_diagonal(a, v):
    global last_shape
    last_shape = a.shape
    a = jnp.asarray(a)
    i = jnp.arange(min(a.shape))
    return a.at[i, i].set(v)
