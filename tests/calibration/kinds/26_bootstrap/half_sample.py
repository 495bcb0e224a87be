import jax, jax.numpy as jnp

def bootstrap(key, x, n_boot):
    x = jnp.asarray(x)
    n = len(x)
    idx = jax.random.randint(key, (n_boot, n // 2), 0, n)
    return x[idx].mean(axis=1)
