import functools, os, time, logging, random, sys
import numpy as np
import jax
import jax.numpy as jnp


def set_diagonal(a, v):
    a = jnp.asarray(a)
    i = jnp.arange(min(a.shape))
    return jax.jit(lambda a, v: a.at[i, i].set(v))(a, v)
