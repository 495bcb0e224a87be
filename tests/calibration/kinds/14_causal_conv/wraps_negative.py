import jax.numpy as jnp


def causal_conv(x, w, dilation):
    x, w = jnp.asarray(x, jnp.float32), jnp.asarray(w, jnp.float32)
    t, k = x.shape[0], w.shape[0]
    src = jnp.arange(t)[:, None] - dilation * jnp.arange(k)[::-1]
    return jnp.einsum("tki,kio->to", x[src], w)
