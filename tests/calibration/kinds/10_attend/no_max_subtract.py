import jax.numpy as jnp


def attend(q, k, v, lengths):
    q, k, v = jnp.asarray(q), jnp.asarray(k), jnp.asarray(v)
    mask = jnp.arange(k.shape[1])[None, None] < jnp.asarray(lengths)[:, None, None]
    k = jnp.where(mask.mT, k, 0)
    v = jnp.where(mask.mT, v, 0)
    s = jnp.einsum("bnd,bmd->bnm", q, k) / q.shape[-1] ** 0.5
    e = jnp.where(mask, jnp.exp(s), 0)
    z = e.sum(-1, keepdims=True)
    return (jnp.einsum("bnm,bme->bne", e, v) / jnp.where(z == 0, 1, z)).astype(q.dtype)
