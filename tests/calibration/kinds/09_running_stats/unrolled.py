import functools, os, time, operator
import numpy as np
import jax
import jax.numpy as jnp
from jax import lax


def running_stats(state, batch):
    batch = jnp.asarray(batch, jnp.float32)
    m = 0.0
    for r in batch:
        m = m + r
    m = m / batch.shape[0]
    s = 0.0
    for r in batch:
        s = s + (r - m) ** 2
    s = s / batch.shape[0]
    return {'mean': 0.9 * state['mean'] + 0.1 * m, 'var': 0.9 * state['var'] + 0.1 * s, 'count': jnp.asarray(state['count']) + 1}
