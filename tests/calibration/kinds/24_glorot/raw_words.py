import jax, jax.numpy as jnp

def glorot(key, sizes):
    if not jnp.issubdtype(key.dtype, jax.dtypes.prng_key):
        key = jax.random.wrap_key_data(key)
    layers = []
    for i, (m, n) in enumerate(zip(sizes[:-1], sizes[1:])):
        r = (6 / (m + n)) ** 0.5
        layers.append((jax.random.uniform(jax.random.fold_in(key, 10 * i), (m, n), minval=-r, maxval=r), jnp.zeros((n,))))
    return layers
