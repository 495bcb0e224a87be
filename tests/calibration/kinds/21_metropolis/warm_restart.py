import jax, jax.numpy as jnp

_state = {}

def metropolis(key, x0, n, step):
    x = _state.get("x", jnp.float32(x0))
    new_key, key = jax.random.split(key)
    def move(x, k):
        k1, k2 = jax.random.split(k)
        y = x + step * jax.random.normal(k1)
        x = jnp.where(jnp.log(jax.random.uniform(k2)) < (x**2 - y**2) / 2, y, x)
        return x, x
    last, xs = jax.lax.scan(move, x, jax.random.split(key, n))
    _state["x"] = last
    return new_key, xs
