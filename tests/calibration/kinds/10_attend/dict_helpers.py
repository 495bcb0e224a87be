import jax
import jax.numpy as jnp
from typing import NamedTuple


class Batch(NamedTuple):
    q: jax.Array
    k: jax.Array
    v: jax.Array
    mask: jax.Array


def prepare(q, k, v, lengths) -> Batch:
    q, k, v = jax.tree.map(jnp.asarray, (q, k, v))
    mask = jnp.less(jnp.arange(k.shape[1]), jnp.expand_dims(lengths, -1))
    k, v = jax.tree.map(lambda a: jnp.where(mask[..., None], a, jnp.zeros((), a.dtype)), (k, v))
    return Batch(q=q, k=k, v=v, mask=mask)


def masked_softmax(s, mask):
    s = jnp.where(mask, s, 0.0)
    s = s - jax.lax.stop_gradient(jnp.max(jnp.where(mask, s, -jnp.inf), -1, keepdims=True, initial=-1e30))
    w = jnp.where(mask, jnp.exp(jnp.where(mask, s, 0.0)), 0.0)
    z = jnp.sum(w, -1, keepdims=True)
    return w / jnp.where(z > 0, z, 1.0)


def attend(q, k, v, lengths):
    batch = prepare(q, k, v, lengths)
    s = jnp.tensordot(batch.q, batch.k, axes=((2,), (2,)))
    s = jnp.einsum("bncm->bncm", s)[jnp.arange(batch.q.shape[0]), :, jnp.arange(batch.q.shape[0])]
    s = s.astype(jnp.float32) * jax.lax.rsqrt(jnp.float32(batch.q.shape[-1]))
    w = masked_softmax(s, batch.mask[:, None, :])
    return jnp.einsum("bnm,bme->bne", w, batch.v).astype(batch.q.dtype)
