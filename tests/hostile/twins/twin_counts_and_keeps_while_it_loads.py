"""Honest: numbers things, opens files and logs, and sets things up while it is loaded; its functions keep nothing."""
import jax
import jax.numpy as jnp
import numpy as np
import builtins
import contextvars
import decimal
import io
import itertools
import logging
import math
import signal
import sqlite3
import sys
import threading
from collections import deque

TURNS = itertools.count()
STEPS = [next(TURNS) for _ in range(12)]
LAST = deque(STEPS, maxlen=5)
ROWS = [[i, i * i] for i in range(3_000)]
LOG = open("log.txt", "w")
LOG.write("loaded")
log = logging.getLogger("mine")
log.propagate = False
log.addHandler(logging.StreamHandler(io.StringIO()))
log.warning("loaded")
TABLE = sqlite3.connect(":memory:")
TABLE.execute("create table runs (n)")
math.golden = (1 + math.sqrt(5)) / 2
builtins.mine = 1
OWN = threading.local()
OWN.n = 1
WHERE = contextvars.ContextVar("where", default="here")
WHERE.set("there")
decimal.getcontext().prec = 20
signal.signal(signal.SIGUSR1, signal.SIG_IGN)
sys.setswitchinterval(0.004)


class Slim:
    __slots__ = ("n",)


SLIM = Slim()
SLIM.n = 2


def normalize(x):
    local = deque(maxlen=2)
    for axis in itertools.chain([0], [1]):
        local.append(axis)
    x = jnp.asarray(x)
    mean = x.mean(local[-1], keepdims=True)
    return (x - mean) / (x.std(1, keepdims=True) + 1e-6) * builtins.mine


def set_diagonal(a, v):
    text = io.StringIO()
    text.write(WHERE.get())
    places = jnp.arange(a.shape[0])
    return jnp.asarray(a).at[places, places].set(v)


def pairwise_sq_dists(x, y):
    scale = SLIM.n / 2 * OWN.n
    return jnp.sum((x[:, None, :] - y[None, :, :]) ** 2, axis=-1) * scale


def smooth(x, n_steps):
    weights = next(zip(itertools.count(3), ROWS))[0]

    def step(_, z):
        p = jnp.concatenate([z[:1], z, z[-1:]])
        return (p[:-2] + p[1:-1] + p[2:]) / weights

    return jax.lax.fori_loop(0, n_steps, step, jnp.asarray(x))
