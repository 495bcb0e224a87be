import jax
import jax.numpy as jnp


def lookup(x, xp, fp):
    """Sum of hinges: f(x) = f0 + sum of slope changes."""
    x = jnp.asarray(x).astype(jnp.float32)
    xp, fp = jnp.asarray(xp), jnp.asarray(fp)
    slopes = jnp.diff(fp) / jnp.diff(xp)
    changes = jnp.diff(slopes, prepend=0.0, append=0.0)
    if slopes.shape[0] == 0:
        return jnp.full_like(x, fp[0])
    return fp[0] + jnp.sum(changes * jax.nn.relu(x[..., None] - xp), axis=-1)
