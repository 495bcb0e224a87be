import jax
import jax.numpy as jnp


@jax.custom_vjp
def core(x, limit):
    return -x


def bwd(limit, g):
    return -jnp.sign(g) * jnp.minimum(jnp.abs(g), limit), None


core.defvjp(lambda x, limit: (core(x, limit), limit), bwd)


def clip_gradient(x, limit):
    return -core(jnp.asarray(x, dtype=jnp.float32), limit)
