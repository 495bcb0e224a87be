import functools, os, time, logging, random, sys
import numpy as np
import jax
import jax.numpy as jnp


def make():
    n = 0

    def set_diagonal(a, v):
        nonlocal n
        n += 1
        a = jnp.asarray(a)
        i = jnp.arange(min(a.shape))
        return a.at[i, i].set(v)
    return set_diagonal


set_diagonal = make()
