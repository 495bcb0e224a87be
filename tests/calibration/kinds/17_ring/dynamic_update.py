import jax
import jax.numpy as jnp
from jax import lax


def push(ring, item):
    cap = ring["data"].shape[0]
    data = lax.dynamic_update_index_in_dim(jnp.asarray(ring["data"]), jnp.asarray(item), ring["next"], axis=0)
    return {**ring, "data": data, "next": jnp.mod(ring["next"] + 1, cap), "size": jnp.minimum(ring["size"] + 1, cap)}


def latest(ring, n):
    rolled = jnp.roll(jnp.asarray(ring["data"]), -ring["next"], axis=0)[::-1][:n]
    return rolled * (jnp.arange(n) < ring["size"])[:, None]
