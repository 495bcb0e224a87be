import jax, jax.numpy as jnp

def epoch(key, x, y, size):
    new, k = jax.random.split(key)
    n = x.shape[0]
    bits = jax.random.bits(k, (n,))
    _, order = jax.lax.sort((bits, jnp.arange(n)), num_keys=1)
    m = n // size
    batches = lambda a: jnp.asarray(a)[order][: m * size].reshape((m, size) + a.shape[1:])
    return new, *map(batches, (x, y))
