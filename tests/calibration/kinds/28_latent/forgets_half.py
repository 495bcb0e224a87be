import jax, jax.numpy as jnp

def sample_latent(key, mean, log_var, n):
    eps = jax.random.normal(key, (n, mean.shape[0]))
    return mean + jnp.exp(log_var) * eps
