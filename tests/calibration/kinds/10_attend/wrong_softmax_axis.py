import jax
import jax.numpy as jnp


def attend(q, k, v, lengths):
    q, k, v = jnp.asarray(q), jnp.asarray(k), jnp.asarray(v)
    mask = jnp.arange(k.shape[1])[None, None] < jnp.asarray(lengths)[:, None, None]
    k = jnp.where(mask.mT, k, 0)
    v = jnp.where(mask.mT, v, 0)
    s = jnp.einsum("bnd,bmd->bnm", q, k).astype(jnp.float32) / q.shape[-1] ** 0.5
    s = jnp.where(mask, s, -1e30)
    w = jax.nn.softmax(s, axis=1) * mask
    return jnp.einsum("bnm,bme->bne", w, v).astype(q.dtype)
