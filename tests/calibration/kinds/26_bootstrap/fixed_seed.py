import jax, jax.numpy as jnp

def bootstrap(key, x, n_boot):
    x = jnp.asarray(x)
    key = jax.random.PRNGKey(0)
    idx = jax.random.randint(key, (n_boot, len(x)), 0, len(x))
    return x[idx].mean(axis=1)
