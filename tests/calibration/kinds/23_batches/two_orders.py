import jax, jax.numpy as jnp

def epoch(key, x, y, size):
    key, k1, k2 = jax.random.split(key, 3)
    x = jax.random.permutation(k1, jnp.asarray(x))
    y = jax.random.permutation(k2, jnp.asarray(y))
    m = x.shape[0] // size
    return key, x[: m * size].reshape(m, size, -1), y[: m * size].reshape(m, size)
