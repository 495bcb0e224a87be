import jax, jax.numpy as jnp

def sample_latent(key, mean, log_var, n):
    return jax.random.multivariate_normal(key, mean, jnp.diag(jnp.exp(log_var)), (n,))
