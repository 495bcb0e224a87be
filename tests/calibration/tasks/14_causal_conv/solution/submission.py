import jax
import jax.numpy as jnp


def causal_conv(x, w, dilation):
    x, w = jnp.asarray(x, jnp.float32), jnp.asarray(w, jnp.float32)
    reach = (w.shape[0] - 1) * dilation
    padded = jnp.pad(x, ((reach, 0), (0, 0)))
    taps = jnp.arange(x.shape[0])[:, None] + dilation * jnp.arange(w.shape[0])
    return jnp.einsum("tki,kio->to", padded[taps], w)
