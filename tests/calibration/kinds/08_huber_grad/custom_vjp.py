import functools, os, time, operator
import numpy as np
import jax
import jax.numpy as jnp
from jax import lax


@jax.custom_vjp
def hub(r):
    return jnp.where(jnp.abs(r) <= 1, 0.5 * r**2, jnp.abs(r) - 0.5)


hub.defvjp(lambda r: (hub(r), r), lambda r, g: (g * jnp.clip(r, -1, 1),))


def huber_grad(w, x, y):
    return jax.vmap(jax.grad(lambda w, a, b: hub(jnp.dot(a, w) - b)), in_axes=(None, 0, 0))(jnp.asarray(w), jnp.asarray(x, jnp.float32), jnp.asarray(y))
