import jax, jax.numpy as jnp

def bootstrap(key, x, n_boot):
    x = jnp.asarray(x)
    def one(_):
        return jax.random.choice(key, x, x.shape).mean()
    return jax.vmap(one)(jnp.arange(n_boot))
