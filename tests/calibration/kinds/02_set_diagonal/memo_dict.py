import functools, os, time, logging, random, sys
import numpy as np
import jax
import jax.numpy as jnp


_IDX = {}


def set_diagonal(a, v):
    k = min(a.shape)
    if k not in _IDX:
        _IDX[k] = np.arange(k)
    i = _IDX[k]
    return jnp.asarray(a).at[i, i].set(v)
