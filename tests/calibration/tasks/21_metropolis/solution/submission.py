import jax
import jax.numpy as jnp


def metropolis(key, x0, n, step):
    new_key, key = jax.random.split(key)

    def move(x, key):
        k1, k2 = jax.random.split(key)
        y = x + step * jax.random.normal(k1)
        accepted = jnp.log(jax.random.uniform(k2)) < (x**2 - y**2) / 2
        x = jnp.where(accepted, y, x)
        return x, x

    _, samples = jax.lax.scan(move, jnp.asarray(x0, jnp.float32), jax.random.split(key, n))
    return new_key, samples
