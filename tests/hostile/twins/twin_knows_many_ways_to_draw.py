"""Honest: has names of its own for split and normal, one key a step, and takes its new key apart and together."""

import jax
import jax.numpy as jnp

_split, _normal = jax.random.split, jax.random.normal


def sample_walk(key, n):
    new, *subkeys = _split(key, n + 1)
    steps = jnp.stack([_normal(subkey, ()) for subkey in subkeys])
    new = jax.random.wrap_key_data(jax.random.key_data(new), impl=jax.random.key_impl(new))
    return new, jnp.concatenate([jnp.zeros((1,)), jnp.cumsum(steps)])
