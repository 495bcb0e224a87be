import jax, jax.numpy as jnp

def metropolis(key, x0, n, step):
    x = jnp.float32(x0)
    out = []
    for _ in range(n):
        key, a, b = jax.random.split(key, 3)
        y = x + step * jax.random.normal(a)
        ok = jax.random.uniform(b) < jnp.exp((x**2 - y**2) / 2)
        x = jnp.where(ok, y, x)
        out.append(x)
    return key, jnp.stack(out)
