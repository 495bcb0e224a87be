import jax, jax.numpy as jnp

def glorot(key, sizes):
    keys = jax.random.split(key, len(sizes) - 1)
    out = []
    for k, m, n in zip(keys, sizes[:-1], sizes[1:]):
        r = (6 / (m + n)) ** 0.5
        out.append((r * jax.random.uniform(k, (m, n)), jnp.zeros(n)))
    return out
