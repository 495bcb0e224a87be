import jax, jax.numpy as jnp

def sample_tokens(key, logits, length):
    return jax.random.categorical(key, 1.1 * logits[:, None, :], shape=(logits.shape[0], length))
