import jax, jax.numpy as jnp

def metropolis(key, x0, n, step):
    new_key, base = jax.random.split(key)
    def body(x, _):
        k1 = jax.random.fold_in(base, 0)
        k2 = jax.random.fold_in(base, 1)
        y = x + step * jax.random.normal(k1)
        x = jnp.where(jax.random.uniform(k2) < jnp.exp((x**2 - y**2) / 2), y, x)
        return x, x
    _, xs = jax.lax.scan(body, jnp.float32(x0), None, length=n)
    return new_key, xs
