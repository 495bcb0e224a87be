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


def decay(m, g, beta):
    m *= beta
    m += (1 - beta) * g
    return m


def adam_update(grads, state, params, lr):
    t = jnp.asarray(state.count) + 1
    mu = jax.tree.map(lambda m, g: jnp.asarray(decay(m, g, 0.9)), state.mu, grads)
    nu = jax.tree.map(lambda n, g: jnp.asarray(decay(n, g * g, 0.999)), state.nu, grads)
    new = jax.tree.map(lambda p, m, n: jnp.asarray(p - lr * (m / (1 - 0.9**t)) / (jnp.sqrt(n / (1 - 0.999**t)) + 1e-8)), params, mu, nu)
    return new, AdamState(t, mu, nu)
