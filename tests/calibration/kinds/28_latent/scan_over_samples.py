import jax, jax.numpy as jnp
from jax import lax

def sample_latent(key, mean, log_var, n):
    std = jnp.exp(log_var * 0.5)
    def step(k, _):
        k, s = jax.random.split(k)
        return k, mean + std * jax.random.normal(s, std.shape)
    _, out = lax.scan(step, key, None, n)
    return out
