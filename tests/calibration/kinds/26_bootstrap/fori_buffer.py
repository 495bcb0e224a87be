import jax, jax.numpy as jnp

def bootstrap(key, x, n_boot):
    x = jnp.asarray(x)
    def body(i, c):
        key, out = c
        key, sub = jax.random.split(key)
        return key, out.at[i].set(jax.random.choice(sub, x, (x.size,), replace=True).mean())
    return jax.lax.fori_loop(0, n_boot, body, (key, jnp.zeros(n_boot)))[1]
