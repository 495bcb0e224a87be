import jax, jax.numpy as jnp

def bootstrap(key, x, n_boot):
    x = jnp.asarray(x)
    n = x.shape[0]
    w = jax.random.multinomial(key, jnp.float32(n), jnp.full((n,), 1 / n), shape=(n_boot, n))
    return (w @ x / n).astype(jnp.float32)
