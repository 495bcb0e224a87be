from typing import Any, NamedTuple

import jax
import jax.numpy as jnp
from jax.flatten_util import ravel_pytree


class AdamState(NamedTuple):
    count: Any
    mu: Any
    nu: Any


def adam_init(params):
    params = jax.tree.map(jnp.asarray, params)
    flat, unravel = ravel_pytree(params)
    return AdamState(jnp.zeros([], jnp.int32), unravel(0 * flat), unravel(0 * flat))


@jax.jit
def adam_update(grads, state, params, lr):
    flat, unravel = ravel_pytree(params)
    g, m, v = (ravel_pytree(t)[0] for t in (grads, state.mu, state.nu))
    t = state.count + 1
    m, v = m + 0.1 * (g - m), v + 0.001 * (g * g - v)
    mh, vh = m / (1 - 0.9**t), v / (1 - 0.999**t)
    new = flat - lr * (mh / (vh**0.5 + 1e-8))
    return unravel(new), AdamState(count=t, mu=unravel(m), nu=unravel(v))
