import jax.numpy as jnp


def shift(x, n):
    t = x.shape[0]
    if n >= t:
        return jnp.zeros_like(x)
    return jnp.concatenate([jnp.zeros((n,) + x.shape[1:], x.dtype), x[: t - n]])


def causal_conv(x, w, dilation):
    x = jnp.asarray(x, dtype=jnp.float32)
    w = jnp.asarray(w, dtype=jnp.float32)
    k = w.shape[0]
    return sum(shift(x, (k - 1 - j) * dilation) @ w[j] for j in range(k))
