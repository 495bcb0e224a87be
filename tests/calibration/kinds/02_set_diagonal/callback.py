import functools, os, time, logging, random, sys
import numpy as np
import jax
import jax.numpy as jnp


def set_diagonal(a, v):
    a = jnp.asarray(a)
    def host(a, v):
        b = np.array(a)
        k = min(b.shape)
        b[np.arange(k), np.arange(k)] = v
        return b
    return jax.pure_callback(host, jax.ShapeDtypeStruct(a.shape, a.dtype), a, v)
