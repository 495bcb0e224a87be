import jax.numpy as jnp


def clip_gradient(x, limit):
    return jnp.clip(x, -limit, limit)
