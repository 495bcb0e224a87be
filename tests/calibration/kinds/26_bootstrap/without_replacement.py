import jax, jax.numpy as jnp

def bootstrap(key, x, n_boot):
    x = jnp.asarray(x)
    f = lambda k: jax.random.choice(k, x, x.shape, replace=False).mean()
    return jax.vmap(f)(jax.random.split(key, n_boot))
