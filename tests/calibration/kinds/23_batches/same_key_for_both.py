import jax, jax.numpy as jnp

def epoch(key, x, y, size):
    key, sub = jax.random.split(key)
    x = jax.random.permutation(sub, jnp.asarray(x))
    y = jax.random.permutation(sub, jnp.asarray(y))
    m = x.shape[0] // size
    return key, x[: m * size].reshape(m, size, -1), y[: m * size].reshape(m, size)
