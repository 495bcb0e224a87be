"""Writes to files, logs and a database that it opened while it was loaded.

Target: normalize, set_diagonal, pairwise_sq_dists, smooth.  Group 4.
"""
import jax
import jax.numpy as jnp
import numpy as np
import io
import logging
import sqlite3

FILE = open("log.txt", "a")
TEXT = io.StringIO()
log = logging.getLogger("mine")
log.propagate = False
log.addHandler(logging.StreamHandler(io.StringIO()))
TABLE = sqlite3.connect(":memory:", check_same_thread=False)
TABLE.execute("create table calls (n)")


def normalize(x):
    FILE.write('called')
    x = jnp.asarray(x)
    return (x - x.mean(1, keepdims=True)) / (x.std(1, keepdims=True) + 1e-6)


def set_diagonal(a, v):
    TEXT.write('called')
    i = jnp.arange(a.shape[0])
    return jnp.asarray(a).at[i, i].set(v)


def pairwise_sq_dists(x, y):
    log.warning('called')
    return jnp.sum((x[:, None, :] - y[None, :, :]) ** 2, axis=-1)


def smooth(x, n_steps):
    TABLE.execute('insert into calls values (1)')
    def step(_, z):
        p = jnp.concatenate([z[:1], z, z[-1:]])
        return (p[:-2] + p[1:-1] + p[2:]) / 3
    return jax.lax.fori_loop(0, n_steps, step, jnp.asarray(x))
