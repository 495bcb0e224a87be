"""Leaves code behind that runs later: a thread, an exit handler, a callback of the collector, a profiler.

Target: normalize, set_diagonal, pairwise_sq_dists, smooth.  Group 4.
"""
import jax
import jax.numpy as jnp
import numpy as np
import atexit
import gc
import sys
import threading
import time


def normalize(x):
    threading.Thread(target=time.sleep, args=(2,), daemon=True).start()
    x = jnp.asarray(x)
    return (x - x.mean(1, keepdims=True)) / (x.std(1, keepdims=True) + 1e-6)


def set_diagonal(a, v):
    atexit.register(print, 'late')
    i = jnp.arange(a.shape[0])
    return jnp.asarray(a).at[i, i].set(v)


def pairwise_sq_dists(x, y):
    gc.callbacks.append(lambda *_: None)
    return jnp.sum((x[:, None, :] - y[None, :, :]) ** 2, axis=-1)


def smooth(x, n_steps):
    sys.setprofile(lambda *_: None)
    def step(_, z):
        p = jnp.concatenate([z[:1], z, z[-1:]])
        return (p[:-2] + p[1:-1] + p[2:]) / 3
    return jax.lax.fori_loop(0, n_steps, step, jnp.asarray(x))
