import jax, jax.numpy as jnp

class Rng:
    key = jax.random.PRNGKey(0)

    @classmethod
    def next(cls):
        cls.key, sub = jax.random.split(cls.key)
        return sub

def glorot(key, sizes):
    out = []
    for m, n in zip(sizes[:-1], sizes[1:]):
        r = (6 / (m + n)) ** 0.5
        out.append((jax.random.uniform(Rng.next(), (m, n), minval=-r, maxval=r), jnp.zeros(n)))
    return out
