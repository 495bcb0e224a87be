import jax, jax.numpy as jnp

def stream(seed):
    key = jax.random.key(seed)
    while True:
        key, sub = jax.random.split(key)
        yield sub

KEYS = stream(42)

def epoch(key, x, y, size):
    sub = next(KEYS)
    m = x.shape[0] // size
    idx = jax.random.permutation(sub, x.shape[0])[: m * size].reshape(m, size)
    return jax.random.split(key)[0], jnp.asarray(x)[idx], jnp.asarray(y)[idx]
