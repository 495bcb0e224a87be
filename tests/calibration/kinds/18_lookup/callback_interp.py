import jax
import jax.numpy as jnp
import numpy as np


def lookup(x, xp, fp):
    shape = jax.ShapeDtypeStruct(jnp.shape(x), jnp.float32)
    host = lambda *a: np.interp(*map(np.asarray, a)).astype(np.float32)
    return jax.pure_callback(host, shape, x, xp, fp)
