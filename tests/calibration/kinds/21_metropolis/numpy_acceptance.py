import numpy as np
import jax, jax.numpy as jnp

def metropolis(key, x0, n, step):
    new_key, key = jax.random.split(key)
    z = jax.random.normal(key, (n,))
    u = np.random.rand(n)
    def body(x, zu):
        y = x + step * zu[0]
        x = jnp.where(zu[1] < jnp.exp((x**2 - y**2) / 2), y, x)
        return x, x
    _, xs = jax.lax.scan(body, jnp.float32(x0), (z, jnp.asarray(u, jnp.float32)))
    return new_key, xs
