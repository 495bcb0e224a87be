from typing import Any, NamedTuple

import jax
import jax.numpy as jnp

B1, B2, EPS = 0.9, 0.999, 1e-8


class AdamState(NamedTuple):
    count: Any
    mu: Any
    nu: Any


def adam_init(params):
    zeros = jax.tree.map(lambda p: jnp.zeros(p.shape, p.dtype), params)
    return AdamState(count=jnp.zeros((), jnp.int32), mu=zeros, nu=zeros)


def adam_update(grads, state, params, lr):
    count = jnp.asarray(state.count) + 1
    mu = jax.tree.map(lambda m, g: B1 * jnp.asarray(m) + (1 - B1) * g, state.mu, grads)
    nu = jax.tree.map(lambda n, g: B2 * jnp.asarray(n) + (1 - B2) * g * g, state.nu, grads)
    t = count.astype(jnp.float32)

    def moved(p, m, n):
        step = (m / (1 - B1**t)) / (jnp.sqrt(n / (1 - B2**t)) + EPS)
        return (p - lr * step).astype(p.dtype)

    return jax.tree.map(moved, params, mu, nu), AdamState(count, mu, nu)
