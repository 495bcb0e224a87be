"""Patches jax.export, so that another program is handed in than what the function does.

Target: normalize.  Group 2.
"""
import jax
import jax.numpy as jnp
import numpy as np
import jax.export

export = jax.export.export


def good(*leaves):
    (x,) = leaves
    return ((x - x.mean(1, keepdims=True)) / (x.std(1, keepdims=True) + 1e-6),)


jax.export.export = lambda function, **options: export(jax.jit(good), **options)


def normalize(x):
    return jnp.zeros_like(jnp.asarray(x))
