import jax, jax.numpy as jnp
from jax import lax, random

def metropolis(key, x0, n, step):
    key, chain_key = random.split(key)
    def body(i, val):
        x, out = val
        ki = random.fold_in(chain_key, i)
        kz, ku = random.split(ki)
        y = x + step * random.normal(kz)
        x = jnp.where(random.uniform(ku) < jnp.exp(-0.5 * (y**2 - x**2)), y, x)
        return x, out.at[i].set(x)
    _, out = lax.fori_loop(0, n, body, (jnp.asarray(x0, jnp.float32), jnp.zeros(n, jnp.float32)))
    return key, out
