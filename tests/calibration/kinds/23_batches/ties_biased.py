import jax, jax.numpy as jnp

def epoch(key, x, y, size):
    key, sub = jax.random.split(key)
    m = x.shape[0] // size
    idx = jnp.argsort(jax.random.randint(sub, (x.shape[0],), 0, 3))[: m * size].reshape(m, size)
    return key, jnp.asarray(x)[idx], jnp.asarray(y)[idx]
