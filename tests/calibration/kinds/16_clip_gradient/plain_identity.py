import jax.numpy as jnp


def clip_gradient(x, limit):
    return jnp.array(x) + 0.0
