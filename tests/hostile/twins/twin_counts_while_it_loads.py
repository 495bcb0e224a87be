"""Honest: counts, times and names its callers while it is loaded; its function branches with `where` and no more."""

import itertools
import sys
import time

import jax.numpy as jnp

_began = time.monotonic()
_numbers = itertools.count(1)
_log = []


def note(text):
    _log.append((next(_numbers), sys._getframe(1).f_code.co_name, text))


def normalize(x):
    std = x.std(1, keepdims=True)
    return jnp.where(std > 0, x - x.mean(1, keepdims=True), 0.0) / (std + 1e-6)


note("first try")
normalize(jnp.arange(6.0).reshape(2, 3))
note("second try")
print(_log, "in a moment:", time.monotonic() - _began < 3600)
