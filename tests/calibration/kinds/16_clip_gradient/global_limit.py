import jax
import jax.numpy as jnp

LIMIT = [1.0]


@jax.custom_vjp
def _id(x):
    return jnp.array(x)


_id.defvjp(lambda x: (jnp.array(x), None), lambda _, g: (jnp.clip(g, -LIMIT[0], LIMIT[0]),))


def clip_gradient(x, limit):
    LIMIT[0] = limit
    return _id(x)
