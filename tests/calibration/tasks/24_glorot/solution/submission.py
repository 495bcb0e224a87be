import jax
import jax.numpy as jnp


def glorot(key, sizes):
    layers = []
    for m, n in zip(sizes[:-1], sizes[1:]):
        key, sub = jax.random.split(key)
        r = (6 / (m + n)) ** 0.5
        layers.append((jax.random.uniform(sub, (m, n), minval=-r, maxval=r), jnp.zeros(n)))
    return layers
