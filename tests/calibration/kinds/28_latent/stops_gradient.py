import jax, jax.numpy as jnp

def sample_latent(key, mean, log_var, n):
    draw = lambda k: mean + jnp.exp(log_var / 2) * jax.random.normal(k, mean.shape)
    return jax.lax.stop_gradient(jax.vmap(draw)(jax.random.split(key, n)))
