import jax, jax.numpy as jnp

def glorot(key, sizes):
    if len(sizes) < 2:
        return []
    m, n = sizes[:2]
    here, rest = jax.random.split(key)
    w = (2 * jax.random.uniform(here, (m, n)) - 1) * jnp.sqrt(6.0 / (m + n))
    return [(w, jnp.zeros(n))] + glorot(rest, sizes[1:])
