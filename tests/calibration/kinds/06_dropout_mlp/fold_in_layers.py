import functools, os, time, operator
import numpy as np
import jax
import jax.numpy as jnp
from jax import lax


def init(key, sizes):
    return [{'w': jax.random.normal(jax.random.fold_in(key, i), s) * jnp.sqrt(2.0 / s[0]), 'b': jnp.zeros(s[1])} for i, s in enumerate(zip(sizes, sizes[1:]))]


def apply(params, key, x, rate, train):
    h = x
    for i, p in enumerate(params):
        h = h @ p['w'] + p['b']
        if i < len(params) - 1:
            h = jax.nn.relu(h)
            if train:
                sub = jax.random.fold_in(key, i)
                h = jnp.where(jax.random.bernoulli(sub, 1.0 - rate, h.shape), h / (1.0 - rate), 0.0)
    return h
