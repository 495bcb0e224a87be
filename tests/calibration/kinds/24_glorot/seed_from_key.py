import jax, jax.numpy as jnp

def glorot(key, sizes):
    out = []
    seed = jax.random.randint(key, (), 0, 1000)
    for i, (m, n) in enumerate(zip(sizes[:-1], sizes[1:])):
        r = (6 / (m + n)) ** 0.5
        k = jax.random.key(seed + i)
        out.append((jax.random.uniform(k, (m, n), minval=-r, maxval=r), jnp.zeros(n)))
    return out
