import jax, jax.numpy as jnp

def key_stream(key):
    while True:
        key, sub = jax.random.split(key)
        yield sub

def glorot(key, sizes):
    ks = key_stream(key)
    params = []
    for m, n in zip(sizes, sizes[1:]):
        r = jnp.sqrt(6 / (m + n)).astype(jnp.float32)
        params.append((jax.random.uniform(next(ks), (m, n), minval=-1, maxval=1) * r, jnp.zeros(n)))
    return params
