import functools, os, time, logging, random, sys
import numpy as np
import jax
import jax.numpy as jnp


def make(mode):
    table = {'m': mode}

    def set_diagonal(a, v):
        a = jnp.asarray(a)
        i = jnp.arange(min(a.shape))
        return a.at[i, i].set(v, mode=table['m'])
    return set_diagonal


set_diagonal = make('drop')
