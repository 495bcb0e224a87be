import jax
import jax.numpy as jnp


def sample_latent(key, mean, log_var, n):
    return mean + jnp.exp(log_var / 2) * jax.random.normal(key, (n, *mean.shape))
