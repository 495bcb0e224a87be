import jax, jax.numpy as jnp

def metropolis(key, x0, n, step):
    def body(c, _):
        key, x = c
        key, sub = jax.random.split(key)
        y = x + step * jax.random.normal(sub)
        u = jax.random.uniform(sub)
        x = jnp.where(u < jnp.exp((x**2 - y**2) / 2), y, x)
        return (key, x), x
    (key, _), xs = jax.lax.scan(body, (key, jnp.float32(x0)), None, length=n)
    return key, xs
