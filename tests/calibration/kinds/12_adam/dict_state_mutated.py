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


def walk(p, g, m, n, t, lr):
    if isinstance(p, dict):
        for key in p:
            p[key], m[key], n[key] = walk(p[key], g[key], m[key], n[key], t, lr)
        return p, m, n
    if isinstance(p, (list, tuple)):
        rows = [walk(*parts, t, lr) for parts in zip(p, g, m, n)]
        return tuple(type(p)(column) for column in zip(*rows))
    m = 0.9 * m + 0.1 * g
    n = 0.999 * n + 0.001 * g * g
    return p - lr * (m / (1 - 0.9**t)) / (jnp.sqrt(n / (1 - 0.999**t)) + 1e-8), m, n


def adam_update(grads, state, params, lr):
    t = state.count + 1
    p, m, n = walk(params, grads, state.mu, state.nu, t, lr)
    return p, AdamState(t, m, n)
