import functools, os, time, operator
import numpy as np
import jax
import jax.numpy as jnp
from jax import lax


@jax.jit
def running_stats(state, batch):
    mean = 0.9 * state['mean'] + 0.1 * jnp.mean(batch, axis=0)
    var = 0.9 * state['var'] + 0.1 * jnp.var(batch, axis=0)
    return {'mean': mean, 'var': var, 'count': jnp.asarray(state['count']) + 1}
