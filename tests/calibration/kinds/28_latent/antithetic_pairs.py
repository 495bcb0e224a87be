import jax, jax.numpy as jnp

def sample_latent(key, mean, log_var, n):
    half = (n + 1) // 2
    e = jax.random.normal(key, (half, mean.shape[0]))
    eps = jnp.concatenate([e, -e])[:n]
    return mean + jnp.exp(log_var / 2) * eps
