import jax, jax.numpy as jnp

def epoch(key, x, y, size):
    _, sub = jax.random.split(key)
    m = x.shape[0] // size
    idx = jax.random.permutation(sub, x.shape[0])[: m * size].reshape(m, size)
    return key, jnp.asarray(x)[idx], jnp.asarray(y)[idx]
