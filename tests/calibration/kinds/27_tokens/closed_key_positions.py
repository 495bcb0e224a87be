import jax, jax.numpy as jnp

def sample_tokens(key, logits, length):
    keys = jax.random.split(key, logits.shape[0])
    def row(k, l):
        return jax.vmap(lambda _: jax.random.categorical(k, l))(jnp.arange(length))
    return jax.vmap(row)(keys, logits)
