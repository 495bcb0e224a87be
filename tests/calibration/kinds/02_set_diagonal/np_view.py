import functools, os, time, logging, random, sys
import numpy as np
import jax
import jax.numpy as jnp


def set_diagonal(a, v):
    if isinstance(a, np.ndarray):
        b = a.view()
        k = min(b.shape)
        b[np.arange(k), np.arange(k)] = v
        return jnp.asarray(b)
    a = jnp.asarray(a)
    i = jnp.arange(min(a.shape))
    return a.at[i, i].set(v)
