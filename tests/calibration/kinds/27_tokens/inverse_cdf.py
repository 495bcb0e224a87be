import jax, jax.numpy as jnp

def sample_tokens(key, logits, length):
    cdf = jnp.cumsum(jax.nn.softmax(logits), axis=-1)
    u = jax.random.uniform(key, (logits.shape[0], length, 1))
    idx = jnp.sum(u > cdf[:, None, :], axis=-1)
    return jnp.minimum(idx, logits.shape[-1] - 1).astype(jnp.int32)
