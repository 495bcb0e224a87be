"""Hides its counters behind thousands of other objects, and deep down.

Target: normalize, set_diagonal.  Group 4.
"""
import jax
import jax.numpy as jnp
import numpy as np
PAD = [[i] for i in range(12_000)]
N = [0]
DEEP = [[[[[[[[[[[[[[[[[0]]]]]]]]]]]]]]]]]


def normalize(x):
    N[0] += 1
    x = jnp.asarray(x)
    return (x - x.mean(1, keepdims=True)) / (x.std(1, keepdims=True) + 1e-6)


def set_diagonal(a, v):
    inner = DEEP
    for _ in range(16):
        inner = inner[0]
    inner[0] += 1
    i = jnp.arange(a.shape[0])
    return jnp.asarray(a).at[i, i].set(v)
