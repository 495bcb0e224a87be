import functools, os, time, logging, random, sys
import numpy as np
import jax
import jax.numpy as jnp


MODE = 'drop'


def set_mode(m):
    global MODE
    MODE = m


def set_diagonal(a, v):
    a = jnp.asarray(a)
    i = jnp.arange(min(a.shape))
    return a.at[i, i].set(v, mode=MODE)
