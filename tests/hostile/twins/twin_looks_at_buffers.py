"""Honest: looks at the addresses of arrays of its own, and fills its own NumPy tables in place."""

import ctypes
import gc

import jax.numpy as jnp
import numpy as np

mine = jnp.ones((2, 2))
try:
    address = ctypes.cast(mine.unsafe_buffer_pointer(), ctypes.POINTER(ctypes.c_float))
    print("the first number lies at an address:", address[0] == 1.0)
except Exception as error:
    print("no address:", error)
table = np.zeros((4, 4), np.float32)
table[...] = 2.0
np.fill_diagonal(table, 1.0)
print("tables:", sum(isinstance(thing, np.ndarray) and thing is table for thing in gc.get_objects()))


def set_diagonal(a, v):
    on = np.eye(a.shape[0], dtype=bool)
    return jnp.where(on, jnp.broadcast_to(jnp.asarray(v), (a.shape[0],))[:, None], jnp.asarray(a))


def normalize(x):
    out = np.zeros(x.shape, np.float32)
    out[...] = 1e-6
    return (x - x.mean(1, keepdims=True)) / (x.std(1, keepdims=True) + jnp.asarray(out))
