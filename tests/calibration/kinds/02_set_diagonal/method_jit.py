import functools, os, time, logging, random, sys
import numpy as np
import jax
import jax.numpy as jnp


class M:
    def go(self, a, v):
        i = jnp.arange(min(a.shape))
        return a.at[i, i].set(v)


def set_diagonal(a, v):
    return jax.jit(M().go)(jnp.asarray(a), v)
