import jax, jax.numpy as jnp

def bootstrap(key, x, n_boot):
    x = jnp.asarray(x)
    n = x.shape[0]
    first = x[jax.random.randint(key, (1, n), 0, n)]
    keys = jax.random.split(key, n_boot - 1)
    rest = jax.vmap(lambda k: x[jax.random.randint(k, (n,), 0, n)])(keys)
    return jnp.concatenate([first, rest]).mean(axis=1)
