import jax, jax.numpy as jnp

def glorot(key, sizes):
    out = []
    for m, n in zip(sizes[:-1], sizes[1:]):
        r = (6 / (m + n)) ** 0.5
        out.append((jax.random.uniform(key, (m, n), minval=-r, maxval=r), jnp.zeros(n)))
    return out
