import jax, jax.numpy as jnp

def epoch(key, x, y, size):
    key, sub = jax.random.split(key)
    x, y = jnp.asarray(x), jnp.asarray(y)
    both = jnp.concatenate([x, y[:, None].astype(x.dtype)], axis=1)
    both = jax.random.permutation(sub, both, axis=0)
    m = x.shape[0] // size
    both = both[: m * size].reshape(m, size, x.shape[1] + 1)
    return key, both[..., :-1], both[..., -1].astype(y.dtype)
