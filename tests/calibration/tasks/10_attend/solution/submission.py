import jax
import jax.numpy as jnp


def attend(q, k, v, lengths):
    q, k, v = jnp.asarray(q), jnp.asarray(k), jnp.asarray(v)
    real = jnp.arange(k.shape[1]) < jnp.asarray(lengths)[:, None]
    k, v = (jnp.where(real[:, :, None], part, 0) for part in (k, v))
    scores = jnp.einsum("bnd,bmd->bnm", q, k).astype(jnp.float32) / q.shape[-1] ** 0.5
    scores = jnp.where(real[:, None, :], scores, -1e30)
    weights = jnp.where(real[:, None, :], jax.nn.softmax(scores), 0)
    return jnp.einsum("bnm,bme->bne", weights, v.astype(jnp.float32)).astype(q.dtype)
