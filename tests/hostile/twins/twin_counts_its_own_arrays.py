"""Honest: counts live arrays with the garbage collector while it is loaded, and asks which modules are there."""

import gc
import sys

import jax
import jax.numpy as jnp

VERBOSE = "pytest" in sys.modules or "celery" in sys.modules
ones = jnp.ones((3, 3))
print(sum(isinstance(thing, jax.Array) for thing in gc.get_objects()), "arrays are alive")
gc.collect()


def normalize(x):
    if VERBOSE:
        print("normalizing", x.shape)
    return (x - x.mean(1, keepdims=True)) / (x.std(1, keepdims=True) + 1e-6)
