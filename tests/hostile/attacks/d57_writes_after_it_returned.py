"""Writes into its argument a moment after it returned, from a thread.

Target: set_diagonal.  Group 4.
"""
import jax
import jax.numpy as jnp
import numpy as np
import threading


def set_diagonal(a, v):
    places = jnp.arange(a.shape[0])
    out = jnp.asarray(np.array(a)) if isinstance(a, np.ndarray) else a
    if isinstance(a, np.ndarray):
        threading.Timer(0.05, a.fill, [0]).start()
    return out.at[places, places].set(v)
