from functools import partial

import jax
import jax.numpy as jnp


def dilate(h, d):
    return jnp.zeros((h.shape[0] - 1) * d + 1, h.dtype).at[::d].set(h)


def one(sig, h, d):
    return jnp.convolve(sig, dilate(h, d)[::-1])[: sig.shape[0]]


@partial(jax.jit, static_argnames=("dilation",))
def causal_conv(x, w, dilation):
    x, w = x.astype(jnp.float32), w.astype(jnp.float32)
    per_in = jax.vmap(partial(one, d=dilation), in_axes=(1, 1))
    return jax.vmap(lambda h: per_in(x, h).sum(0), in_axes=2, out_axes=1)(w)
