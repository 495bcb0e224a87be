"""Keeps its counters in objects that say they are NumPy's or JAX's, or that deny their slots.

Target: normalize, set_diagonal, pairwise_sq_dists, smooth.  Group 4.
"""
import jax
import jax.numpy as jnp
import numpy as np


class Lie:
    def __init__(self):
        self.n = 0


Lie.__module__ = "numpy"
LIE = Lie()


class Slim:
    __slots__ = ("n",)


SLIM = Slim()
SLIM.n = 0
Slim.__slots__ = ()


def helper():
    return 0


helper.__module__ = "jax"
helper.n = 0
WRAPPED = np.vectorize(abs)
WRAPPED.calls = 0


def normalize(x):
    LIE.n += 1
    x = jnp.asarray(x)
    return (x - x.mean(1, keepdims=True)) / (x.std(1, keepdims=True) + 1e-6)


def set_diagonal(a, v):
    SLIM.n += 1
    i = jnp.arange(a.shape[0])
    return jnp.asarray(a).at[i, i].set(v)


def pairwise_sq_dists(x, y):
    helper.n += 1
    return jnp.sum((x[:, None, :] - y[None, :, :]) ** 2, axis=-1)


def smooth(x, n_steps):
    WRAPPED.calls += 1
    def step(_, z):
        p = jnp.concatenate([z[:1], z, z[-1:]])
        return (p[:-2] + p[1:-1] + p[2:]) / 3
    return jax.lax.fori_loop(0, n_steps, step, jnp.asarray(x))
