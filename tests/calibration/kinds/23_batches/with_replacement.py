import jax, jax.numpy as jnp

def epoch(key, x, y, size):
    key, sub = jax.random.split(key)
    m = x.shape[0] // size
    idx = jax.random.choice(sub, x.shape[0], (m, size))
    return key, jnp.asarray(x)[idx], jnp.asarray(y)[idx]
