"""Honest: names helpers as the libraries do, replaces one of theirs for a moment, and looks at its own program."""

import sys
from unittest import mock

import jax
import jax.numpy as jnp
import numpy as np


def allclose(a, b, atol=1e-5):
    return bool(np.all(np.abs(np.asarray(a) - np.asarray(b)) <= atol))


def make_jaxpr(f, *args):
    return str(jax.make_jaxpr(f)(*args))


def jit(f=None, **options):
    return (lambda g: jit(g, **options)) if f is None else jax.jit(f, **options)


setattr(sys.modules[__name__], "array_equal", lambda a, b: allclose(a, b, 0))


@jit
def normalize(x):
    return (x - x.mean(1, keepdims=True)) / (x.std(1, keepdims=True) + 1e-6)


def smooth(x, n_steps):
    def body(_, z):
        p = jnp.concatenate([z[:1], z, z[-1:]])
        return (p[:-2] + p[1:-1] + p[2:]) / 3.0

    return jax.lax.fori_loop(0, n_steps, body, jnp.asarray(x))


with mock.patch.object(np, "mean", lambda *a, **k: 0.0):
    assert np.mean([1, 2]) == 0.0
np.testing.assert_allclose(smooth(jnp.ones(3), 2), 1.0, rtol=1e-5)
assert allclose(jax.jit(smooth, static_argnums=1)(jnp.ones(3), 2), 1) and "while" in make_jaxpr(smooth, jnp.ones(3), 2)
