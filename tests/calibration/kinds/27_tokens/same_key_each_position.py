import jax, jax.numpy as jnp

def sample_tokens(key, logits, length):
    return jnp.stack([jax.random.categorical(key, logits) for _ in range(length)], axis=1)
