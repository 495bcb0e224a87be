import jax, jax.numpy as jnp

def metropolis(key, x0, n, step):
    def body(c, _):
        key, x = c
        key, kp, ka = jax.random.split(key, 3)
        prop = x + step * jax.random.normal(kp, ())
        u = jax.random.uniform(ka, ())
        x = jax.lax.cond(u < jnp.exp(0.5 * (x * x - prop * prop)), lambda: prop, lambda: x)
        return (key, x), x
    (key, _), xs = jax.lax.scan(body, (key, jnp.float32(x0)), None, length=n)
    return key, xs
