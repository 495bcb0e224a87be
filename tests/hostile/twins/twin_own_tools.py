"""Honest: has its own closeness helper and its own decorator around jit, with the names that jax uses."""

import functools

import jax
import jax.numpy as jnp
import numpy as np


def jit(f):
    compiled = jax.jit(f)

    @functools.wraps(f)
    def call(*args):
        return compiled(*args)

    return call


def allclose(a, b, tol=1e-5):
    return bool(np.max(np.abs(np.asarray(a) - np.asarray(b))) < tol)


@jit
def normalize(x):
    mean = x.mean(axis=1, keepdims=True)
    std = jnp.sqrt(((x - mean) ** 2).mean(axis=1, keepdims=True))
    return (x - mean) / (std + 1e-6)
