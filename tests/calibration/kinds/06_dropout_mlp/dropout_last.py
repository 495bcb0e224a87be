import functools, os, time, operator
import numpy as np
import jax
import jax.numpy as jnp
from jax import lax


def init(key, sizes):
    keys = jax.random.split(key, len(sizes) - 1)
    return [{'w': jax.random.normal(k, (m, n)) * jnp.sqrt(2.0 / m), 'b': jnp.zeros(n)} for k, m, n in zip(keys, sizes[:-1], sizes[1:])]


def apply(params, key, x, rate, train):
    h = x
    for i, p in enumerate(params):
        h = h @ p['w'] + p['b']
        if i < len(params):
            h = jax.nn.relu(h)
            if train:
                key, sub = jax.random.split(key)
                h = jnp.where(jax.random.bernoulli(sub, 1.0 - rate, h.shape), h / (1.0 - rate), 0.0)
    return h
