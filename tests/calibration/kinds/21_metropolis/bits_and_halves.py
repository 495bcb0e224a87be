import jax, jax.numpy as jnp

def uniform01(key):
    bits = jax.random.bits(key, (), jnp.uint32)
    return (bits >> 8).astype(jnp.float32) * jnp.float32(2 ** -24)

def metropolis(key, x0, n, step):
    keys = jax.random.split(key, 2 * n + 1)
    def body(x, pair):
        y = x + step * jax.random.normal(pair[0])
        x = jnp.where(uniform01(pair[1]) < jnp.exp(0.5 * (x - y) * (x + y)), y, x)
        return x, x
    pairs = (keys[1 : n + 1], keys[n + 1 :])
    _, xs = jax.lax.scan(body, jnp.asarray(x0, jnp.float32), pairs)
    return keys[0], xs
