import jax, jax.numpy as jnp

def epoch(key, x, y, size):
    key, sub = jax.random.split(key)
    n = x.shape[0]
    idx = jnp.argsort(jax.random.uniform(sub, (n,)))
    n_b = n // size
    idx = idx[: n_b * size]
    return key, jnp.take(jnp.asarray(x), idx, axis=0).reshape(n_b, size, -1), jnp.take(jnp.asarray(y), idx).reshape(n_b, size)
