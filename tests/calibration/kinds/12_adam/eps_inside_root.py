from typing import Any, NamedTuple

import jax
import jax.numpy as jnp


class AdamState(NamedTuple):
    count: Any
    mu: Any
    nu: Any


def adam_init(params):
    z = jax.tree.map(jnp.zeros_like, params)
    return AdamState(jnp.zeros((), jnp.int32), z, z)


def adam_update(grads, state, params, lr):
    t = state.count + 1
    mu = jax.tree.map(lambda m, g: 0.9 * m + 0.1 * g, state.mu, grads)
    nu = jax.tree.map(lambda n, g: 0.999 * n + 0.01 * g * g, state.nu, grads)
    new = jax.tree.map(lambda p, m, n: p - lr * (m / (1 - 0.9**t)) / (jnp.sqrt(n / (1 - 0.999**t)) + 1e-8), params, mu, nu)
    return new, AdamState(t, mu, nu)
