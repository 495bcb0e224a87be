import jax, jax.numpy as jnp

def sample_tokens(key, logits, length):
    g = jax.random.gumbel(key, (logits.shape[0], length, logits.shape[1]))
    return jnp.argmax(logits[:, None] + g, axis=-1).astype(jnp.int32)
