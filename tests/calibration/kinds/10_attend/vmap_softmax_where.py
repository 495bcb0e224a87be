from functools import partial

import jax
import jax.numpy as jnp
from jax import Array


@partial(jax.vmap, in_axes=(0, 0, 0, 0))
def _one(q: Array, k: Array, v: Array, length: Array) -> Array:
    m, d = k.shape
    valid = jnp.arange(m) < length
    k = jnp.where(valid[:, None], k, 0.0)
    v = jnp.where(valid[:, None], v, 0.0)
    logits = (q @ k.T) / jnp.sqrt(d).astype(q.dtype)
    w = jax.nn.softmax(logits, axis=-1, where=valid[None, :])
    w = jnp.where(length > 0, w, 0.0)
    return jnp.where(length > 0, w @ v, 0.0).astype(q.dtype)


def attend(q, k, v, lengths):
    return _one(jnp.asarray(q), jnp.asarray(k), jnp.asarray(v), jnp.asarray(lengths))
