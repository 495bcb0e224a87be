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
    mu = jax.tree.map(lambda m, g: 0.9 * jnp.asarray(m) + 0.1 * g, state.mu, grads)
    nu = jax.tree.map(lambda n, g: 0.999 * jnp.asarray(n) + 0.001 * g * g, state.nu, grads)
    new = jax.tree.map(lambda p, m, n: p - lr * m / (jnp.sqrt(n) + 1e-8), params, mu, nu)
    return new, AdamState(state.count + 1, mu, nu)
