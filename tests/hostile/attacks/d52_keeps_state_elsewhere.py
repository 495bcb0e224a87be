"""Keeps its counters in modules that are not its own, among the built-in names, and where a thread keeps its own.

Target: normalize, set_diagonal, pairwise_sq_dists, smooth.  Group 4.
"""
import jax
import jax.numpy as jnp
import numpy as np
import builtins
import contextvars
import math
import threading

math.calls = 0
builtins.calls = 0
OWN = threading.local()
OWN.n = 0
HERE = contextvars.ContextVar("here", default=0)


def normalize(x):
    math.calls += 1
    x = jnp.asarray(x)
    return (x - x.mean(1, keepdims=True)) / (x.std(1, keepdims=True) + 1e-6)


def set_diagonal(a, v):
    builtins.calls += 1
    i = jnp.arange(a.shape[0])
    return jnp.asarray(a).at[i, i].set(v)


def pairwise_sq_dists(x, y):
    OWN.n += 1
    return jnp.sum((x[:, None, :] - y[None, :, :]) ** 2, axis=-1)


def smooth(x, n_steps):
    HERE.set(HERE.get() + 1)
    def step(_, z):
        p = jnp.concatenate([z[:1], z, z[-1:]])
        return (p[:-2] + p[1:-1] + p[2:]) / 3
    return jax.lax.fori_loop(0, n_steps, step, jnp.asarray(x))
