import jax
import jax.numpy as jnp


def clip_gradient(x, limit):
    @jax.custom_vjp
    def identity(x, lim):
        return x

    def fwd(x, lim):
        return identity(x, lim), (lim,)

    def bwd(res, g):
        (lim,) = res
        return (jax.lax.clamp(-lim, g, lim).astype(g.dtype), jnp.zeros_like(lim))

    identity.defvjp(fwd, bwd)
    x = jnp.asarray(x)
    return identity(x + 0, jnp.asarray(limit, x.dtype))
