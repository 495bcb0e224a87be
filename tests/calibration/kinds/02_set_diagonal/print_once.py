import functools, os, time, logging, random, sys
import numpy as np
import jax
import jax.numpy as jnp


_told = False


def set_diagonal(a, v):
    global _told
    if not _told:
        print('hello')
        _told = True
    a = jnp.asarray(a)
    i = jnp.arange(min(a.shape))
    return a.at[i, i].set(v)
