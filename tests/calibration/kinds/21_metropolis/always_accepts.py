import jax, jax.numpy as jnp

def metropolis(key, x0, n, step):
    new_key, key = jax.random.split(key)
    z = jax.random.normal(key, (n,))
    return new_key, jnp.float32(x0) + jnp.cumsum(step * z)
