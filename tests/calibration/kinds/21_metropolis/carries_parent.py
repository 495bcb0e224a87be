import jax, jax.numpy as jnp

def metropolis(key, x0, n, step):
    def body(c, _):
        key, x = c
        k1, k2 = jax.random.split(key)
        y = x + step * jax.random.normal(k1)
        x = jnp.where(jax.random.uniform(k2) < jnp.exp((x**2 - y**2) / 2), y, x)
        return (key, x), x
    (key, _), xs = jax.lax.scan(body, (key, jnp.float32(x0)), None, length=n)
    new_key, _ = jax.random.split(key)
    return new_key, xs
