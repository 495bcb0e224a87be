import jax
import jax.numpy as jnp


def causal_conv(x, w, dilation):
    x, w = map(lambda a: jnp.array(a, jnp.float32), (x, w))
    t, k = x.shape[0], w.shape[0]
    src = jnp.arange(t)[:, None] - dilation * jnp.arange(k)[::-1][None, :]
    cols = jnp.where((src >= 0)[..., None], x[jnp.clip(src, 0)], 0.0)
    return jax.lax.dot_general(cols, w, (((1, 2), (0, 1)), ((), ())))
