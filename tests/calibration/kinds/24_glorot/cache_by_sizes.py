import jax, jax.numpy as jnp

CACHE = {}

def glorot(key, sizes):
    if sizes not in CACHE:
        out = []
        for m, n in zip(sizes[:-1], sizes[1:]):
            key, sub = jax.random.split(key)
            r = (6 / (m + n)) ** 0.5
            out.append((jax.random.uniform(sub, (m, n), minval=-r, maxval=r), jnp.zeros(n)))
        CACHE[sizes] = out
    return list(CACHE[sizes])
