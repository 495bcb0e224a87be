import jax, jax.numpy as jnp

def sample_tokens(key, logits, length):
    best = jnp.argmax(logits, axis=-1)
    return jnp.repeat(best[:, None], length, axis=1).astype(jnp.int32)
