import jax, jax.numpy as jnp

def bootstrap(key, x, n_boot):
    x = jnp.asarray(x)
    idx = jax.random.randint(key, (n_boot, len(x)), 0, len(x) - 1)
    return x[idx].mean(axis=1)
