import jax.numpy as jnp
import numpy as np


def lookup(x, xp, fp):
    if isinstance(fp, np.ndarray):
        fp -= fp[0]
        return jnp.interp(jnp.asarray(x), jnp.asarray(xp), jnp.asarray(fp)) + 0 * fp[0]
    return jnp.interp(jnp.asarray(x), jnp.asarray(xp), jnp.asarray(fp))
