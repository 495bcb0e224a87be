import functools, os, time, logging, random, sys
import numpy as np
import jax
import jax.numpy as jnp


class Setter:
    def __init__(self, mode):
        self.mode = mode

    def __call__(self, a, v):
        a = jnp.asarray(a)
        i = jnp.arange(min(a.shape))
        return a.at[i, i].set(v, mode=self.mode)


set_diagonal = Setter('drop')
