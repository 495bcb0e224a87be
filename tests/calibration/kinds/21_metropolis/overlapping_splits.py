import jax, jax.numpy as jnp

def metropolis(key, x0, n, step):
    z = jax.random.normal(jax.random.split(key, 2)[0], (n,))
    u = jax.random.uniform(jax.random.split(key, 3)[1], (n,))
    new_key = jax.random.split(key, 4)[2]
    def body(x, zu):
        z, u = zu
        y = x + step * z
        x = jnp.where(u < jnp.exp((x**2 - y**2) / 2), y, x)
        return x, x
    return new_key, jax.lax.scan(body, jnp.float32(x0), (z, u))[1]
