from collections import namedtuple

import jax
import jax.numpy as jnp

AdamState = namedtuple("AdamState", "count mu nu")


def adam_init(params):
    like = lambda: jax.tree.map(lambda p: jnp.zeros(jnp.shape(p), jnp.result_type(p)), params)
    return AdamState(count=jnp.zeros((), dtype="int32"), mu=like(), nu=like())


def adam_update(grads, state, params, lr):
    (count, mu, nu), t = state, state[0] + 1
    b1, b2 = 0.9, 0.999

    def one(p, g, m, n):
        m, n = b1 * m + (1.0 - b1) * g, b2 * n + (1.0 - b2) * g * g
        return p - lr * (m / (1.0 - b1**t)) / (jnp.sqrt(n / (1.0 - b2**t)) + 1e-8), m, n

    out = jax.tree.map(one, params, grads, mu, nu)
    outer, inner = jax.tree.structure(params), jax.tree.structure((0, 0, 0))
    new_params, mu, nu = jax.tree.transpose(outer, inner, out)
    return new_params, AdamState(jnp.asarray(t, jnp.int32), mu, nu)
