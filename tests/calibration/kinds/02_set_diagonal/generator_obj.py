import functools, os, time, logging, random, sys
import numpy as np
import jax
import jax.numpy as jnp


rng = np.random.default_rng(0)


def set_diagonal(a, v):
    rng.random()
    a = jnp.asarray(a)
    i = jnp.arange(min(a.shape))
    return a.at[i, i].set(v)
