import jax
import jax.numpy as jnp


def epoch(key, x, y, size):
    new_key, key = jax.random.split(key)
    x, y = jnp.asarray(x), jnp.asarray(y)
    m = len(x) // size
    order = jax.random.permutation(key, len(x))[: m * size].reshape(m, size)
    return new_key, x[order], y[order]
