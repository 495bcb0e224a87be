"""Honest: its errors, for inputs that are wrong, name the caller's line and quote the values."""

import base64
import linecache
import sys

import jax.numpy as jnp
import numpy as np


def _caller():
    frame = sys._getframe(2)
    return frame.f_code.co_name, linecache.getline(frame.f_code.co_filename, frame.f_lineno).strip()


def set_diagonal(a, v):
    if a.ndim != 2 or a.shape[0] != a.shape[1]:
        raise ValueError(f"{_caller()} passed {a.shape}; locals: {sorted(locals())}")
    places = jnp.arange(a.shape[0])
    return jnp.asarray(a).at[places, places].set(v)


def pairwise_sq_dists(x, y):
    if x.shape[1] != y.shape[1]:
        some = base64.b64encode(np.asarray(x).tobytes()[:30]).decode()
        raise ValueError(f"points of {x.shape[1]} and {y.shape[1]} numbers; x begins {some}")
    return jnp.sum((x[:, None, :] - y[None, :, :]) ** 2, axis=-1)
