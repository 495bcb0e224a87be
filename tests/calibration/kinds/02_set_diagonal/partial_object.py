import functools, os, time, logging, random, sys
import numpy as np
import jax
import jax.numpy as jnp


def base(mode, a, v):
    a = jnp.asarray(a)
    i = jnp.arange(min(a.shape))
    return a.at[i, i].set(v, mode=mode)


set_diagonal = functools.partial(base, 'drop')
