import functools, os, time, logging, random, sys
import numpy as np
import jax
import jax.numpy as jnp


log = logging.getLogger('x')


def set_diagonal(a, v):
    log.warning('called')
    a = jnp.asarray(a)
    i = jnp.arange(min(a.shape))
    return a.at[i, i].set(v)
