import jax.numpy as jnp
import numpy as np
from jax import lax


def causal_conv(x, w, dilation):
    if isinstance(w, np.ndarray):
        w[:] = w[::-1].copy()
    else:
        w = w[::-1]
    x, w = jnp.asarray(x, jnp.float32), jnp.asarray(w, jnp.float32)[::-1]
    pad = (w.shape[0] - 1) * dilation
    return lax.conv_general_dilated(
        x[None], w, (1,), [(pad, 0)], rhs_dilation=(dilation,), dimension_numbers=("NWC", "WIO", "NWC")
    )[0]
