import jax, jax.numpy as jnp

def sample_tokens(key, logits, length):
    keys = jax.random.split(key, (logits.shape[0], length))
    return jax.vmap(lambda ks, l: jax.vmap(lambda k: jax.random.categorical(k, l))(ks))(keys, logits)
