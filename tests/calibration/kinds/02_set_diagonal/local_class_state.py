import functools, os, time, logging, random, sys
import numpy as np
import jax
import jax.numpy as jnp


class Box:
    def __init__(self):
        self.items = []

    def add(self, x):
        self.items.append(x)


def set_diagonal(a, v):
    box = Box()
    box.add(jnp.asarray(a))
    a = box.items[0]
    i = jnp.arange(min(a.shape))
    return a.at[i, i].set(v)
