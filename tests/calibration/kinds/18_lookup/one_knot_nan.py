import jax.numpy as jnp


def lookup(x, xp, fp):
    x, xp, fp = jnp.asarray(x, jnp.float32), jnp.asarray(xp), jnp.asarray(fp)
    i = jnp.clip(jnp.searchsorted(xp, x, side="right") - 1, 0, max(xp.shape[0] - 2, 0))
    t = (jnp.clip(x, xp[0], xp[-1]) - xp[i]) / (xp[i + 1] - xp[i])
    return fp[i] + t * (fp[i + 1] - fp[i])
