import itertools
import jax, jax.numpy as jnp

def glorot(key, sizes):
    shapes = list(itertools.pairwise(sizes))
    total = sum(m * n for m, n in shapes)
    flat = jax.random.uniform(key, (total,), minval=-1.0)
    out, at = [], 0
    for m, n in shapes:
        w = flat[at : at + m * n].reshape(m, n) * (6 / (m + n)) ** 0.5
        at += m * n
        out.append((w, jnp.zeros(n)))
    return out
