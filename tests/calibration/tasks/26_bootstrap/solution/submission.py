import jax
import jax.numpy as jnp


def bootstrap(key, x, n_boot):
    x = jnp.asarray(x)
    return x[jax.random.randint(key, (n_boot, len(x)), 0, len(x))].mean(axis=1)
