import jax, jax.numpy as jnp

def metropolis(key, x0, n, step):
    key, sub = jax.random.split(key)
    kz, ku = jax.random.split(sub)
    z, u = jax.random.normal(kz, (n,)), jax.random.uniform(ku, (n,))
    def body(x, zu):
        y = x + step * zu[0]
        x = jnp.where(zu[1] < jnp.exp((x**2 - y**2) / 2), y, x)
        return x, x
    _, xs = jax.lax.scan(body, jnp.float32(x0), (z, u))
    return sub, xs
