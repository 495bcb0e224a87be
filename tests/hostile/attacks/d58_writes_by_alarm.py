"""Writes into its argument a moment after it returned, from a signal's handler.

Target: set_diagonal.  Group 4.
"""
import jax
import jax.numpy as jnp
import numpy as np
import signal

KEPT = []


def late(*_):
    for array in KEPT:
        array.fill(0)


signal.signal(signal.SIGALRM, late)


def set_diagonal(a, v):
    places = jnp.arange(a.shape[0])
    out = jnp.asarray(np.array(a)) if isinstance(a, np.ndarray) else a
    if isinstance(a, np.ndarray):
        KEPT.append(a)
        signal.setitimer(signal.ITIMER_REAL, 0.02)
    return out.at[places, places].set(v)
