import functools, os, time, logging, random, sys
import numpy as np
import jax
import jax.numpy as jnp


def _impl(k, a, v):
    i = jnp.arange(k)
    return a.at[i, i].set(v)


def set_diagonal(a, v):
    a = jnp.asarray(a)
    return jax.jit(functools.partial(_impl, min(a.shape)))(a, v)
