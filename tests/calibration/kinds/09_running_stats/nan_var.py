import functools, os, time, operator
import numpy as np
import jax
import jax.numpy as jnp
from jax import lax


def running_stats(state, batch):
    batch = jnp.asarray(batch, jnp.float32)
    n = batch.shape[0]
    mean = 0.9 * state['mean'] + 0.1 * batch.mean(0)
    var = 0.9 * state['var'] + 0.1 * ((batch - batch.mean(0)) ** 2).sum(0) / (n - 1)
    return {'mean': mean, 'var': var, 'count': jnp.asarray(state['count']) + 1}
