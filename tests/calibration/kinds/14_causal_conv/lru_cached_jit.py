from functools import lru_cache, partial

import jax
import jax.numpy as jnp


def _run(x, w, dilation):
    k = w.shape[0]
    padded = jnp.pad(x, (((k - 1) * dilation, 0), (0, 0)))
    taps = jnp.arange(x.shape[0])[:, None] + dilation * jnp.arange(k)
    return jnp.einsum("tki,kio->to", padded[taps], w)


@lru_cache(maxsize=None)
def _compiled(dilation):
    return jax.jit(partial(_run, dilation=dilation))


def causal_conv(x, w, dilation):
    return _compiled(dilation)(jnp.asarray(x, jnp.float32), jnp.asarray(w, jnp.float32))
