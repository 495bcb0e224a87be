"""Changes settings of the process: the import path, a signal's handler, decimal's precision, how threads take turns.

Target: normalize, set_diagonal, pairwise_sq_dists, smooth.  Group 4.
"""
import jax
import jax.numpy as jnp
import numpy as np
import decimal
import signal
import sys


def normalize(x):
    sys.setswitchinterval(sys.getswitchinterval() + 1e-4)
    x = jnp.asarray(x)
    return (x - x.mean(1, keepdims=True)) / (x.std(1, keepdims=True) + 1e-6)


def set_diagonal(a, v):
    decimal.getcontext().prec += 1
    i = jnp.arange(a.shape[0])
    return jnp.asarray(a).at[i, i].set(v)


def pairwise_sq_dists(x, y):
    signal.signal(signal.SIGUSR1, lambda *_: None)
    return jnp.sum((x[:, None, :] - y[None, :, :]) ** 2, axis=-1)


def smooth(x, n_steps):
    sys.path.append('x')
    def step(_, z):
        p = jnp.concatenate([z[:1], z, z[-1:]])
        return (p[:-2] + p[1:-1] + p[2:]) / 3
    return jax.lax.fori_loop(0, n_steps, step, jnp.asarray(x))
