import jax, jax.numpy as jnp

def bootstrap(key, x, n_boot):
    x = jnp.asarray(x)
    resample = lambda k: jax.random.choice(k, x, x.shape).mean()
    return jax.vmap(resample)(jax.random.split(key, n_boot))
