import jax
import jax.numpy as jnp

def metropolis(key, x0, n, step):
    """Only draws the uniform when the proposal is worse."""
    def body(carry, _):
        key, x = carry
        key, kz, ku = jax.random.split(key, 3)
        y = x + step * jax.random.normal(kz)
        r = jnp.exp((x**2 - y**2) / 2)
        ok = jax.lax.cond(r >= 1, lambda k: jnp.array(True), lambda k: jax.random.uniform(k) < r, ku)
        x = jnp.where(ok, y, x)
        return (key, x), x
    (key, _), xs = jax.lax.scan(body, (key, jnp.asarray(x0, jnp.float32)), length=n)
    return key, xs
