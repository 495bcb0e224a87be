import jax, jax.numpy as jnp

def epoch(key, x, y, size):
    m = x.shape[0] // size
    idx = jax.random.permutation(key, x.shape[0])[: m * size].reshape(m, size)
    new_key, _ = jax.random.split(key)
    return new_key, jnp.asarray(x)[idx], jnp.asarray(y)[idx]
