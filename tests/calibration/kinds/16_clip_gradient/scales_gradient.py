import jax
import jax.numpy as jnp


@jax.custom_vjp
def clip_gradient(x, limit):
    return jnp.array(x)


def fwd(x, limit):
    return jnp.array(x), limit


def bwd(limit, g):
    return g * limit, None


clip_gradient.defvjp(fwd, bwd)
