import jax, jax.numpy as jnp

def sample_latent(key, mean, log_var, n):
    kr, ka = jax.random.split(key)
    shape = (n, mean.shape[0])
    r = jnp.sqrt(2 * jax.random.exponential(kr, shape))
    a = jax.random.uniform(ka, shape, maxval=2 * jnp.pi)
    return mean + jnp.exp(log_var / 2) * r * jnp.cos(a)
