import jax, jax.numpy as jnp

def sample_latent(key, mean, log_var, n):
    eps = jax.random.truncated_normal(key, -2.5, 2.5, (n, mean.shape[0]))
    return mean + jnp.exp(log_var / 2) * eps
