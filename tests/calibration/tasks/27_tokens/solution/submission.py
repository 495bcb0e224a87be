import jax
import jax.numpy as jnp


def sample_tokens(key, logits, length):
    return jax.random.categorical(key, logits[:, None, :], shape=(len(logits), length))
