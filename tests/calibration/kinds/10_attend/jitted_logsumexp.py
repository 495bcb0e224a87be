import jax
import jax.numpy as jnp
from jax.scipy.special import logsumexp


@jax.jit
def attend(q, k, v, lengths):
    b, m, d = k.shape
    mask = jax.lax.broadcasted_iota(jnp.int32, (b, 1, m), 2) < lengths[:, None, None]
    clean = lambda a: jnp.where(mask.transpose(0, 2, 1), a, 0)
    k, v = clean(k), clean(v)
    logits = jnp.einsum("...nd,...md->...nm", q, k, preferred_element_type=jnp.float32) / d**0.5
    logits = jnp.where(mask, logits, -1e20)
    p = jnp.exp(logits - logsumexp(logits, axis=-1, keepdims=True))
    p = p * mask
    return jnp.einsum("...nm,...me->...ne", p.astype(v.dtype), v).astype(q.dtype)
