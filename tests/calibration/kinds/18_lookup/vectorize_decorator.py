from functools import partial

import jax
import jax.numpy as jnp


@partial(jnp.vectorize, signature="(),(m),(m)->()")
def _lookup(x, xp, fp):
    hi = jnp.clip(jnp.sum(xp <= x), 1, max(xp.shape[0] - 1, 1))
    lo = hi - 1
    hi = jnp.minimum(hi, xp.shape[0] - 1)
    width = xp[hi] - xp[lo]
    t = jnp.where(width > 0, (x - xp[lo]) / jnp.where(width > 0, width, 1.0), 0.0)
    return fp[lo] * (1 - t.clip(0, 1)) + fp[hi] * t.clip(0, 1)


@jax.jit
def lookup(x, xp, fp):
    return _lookup(jnp.float32(x), xp, fp)
