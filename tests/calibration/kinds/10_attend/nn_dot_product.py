import jax
import jax.numpy as jnp


def attend(q, k, v, lengths):
    q, k, v, lengths = (jnp.asarray(t) for t in (q, k, v, lengths))
    keep = (jnp.arange(k.shape[1])[None] < lengths[:, None])[..., None]
    k = jnp.where(keep, k, 0)
    v = jnp.where(keep, v, 0)
    if (add := q.ndim == 3):
        q4, k4, v4 = q[:, :, None], k[:, :, None], v[:, :, None]
    mask = keep[:, None, None, :, 0]
    scores = jnp.einsum("bnhd,bmhd->bhnm", q4, k4).astype(jnp.float32) / jnp.sqrt(jnp.float32(q.shape[-1]))
    scores = jnp.where(mask, scores, jnp.finfo(jnp.float32).min)
    probs = jax.nn.softmax(scores, axis=-1) * mask
    out = jnp.einsum("bhnm,bmhe->bnhe", probs, v4.astype(jnp.float32))
    return out[:, :, 0].astype(q.dtype)
