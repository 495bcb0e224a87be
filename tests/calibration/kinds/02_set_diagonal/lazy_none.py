import functools, os, time, logging, random, sys
import numpy as np
import jax
import jax.numpy as jnp


_go = None


def _impl(a, v):
    i = jnp.arange(min(a.shape))
    return a.at[i, i].set(v)


def set_diagonal(a, v):
    global _go
    if _go is None:
        _go = jax.jit(_impl)
    return _go(jnp.asarray(a), v)
