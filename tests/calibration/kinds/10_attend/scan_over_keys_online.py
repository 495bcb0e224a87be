import jax
import jax.numpy as jnp
from jax import lax


def attend(q, k, v, lengths):
    """Online softmax: one key after the other, with a running maximum."""
    q, k, v, lengths = jnp.asarray(q), jnp.asarray(k), jnp.asarray(v), jnp.asarray(lengths)
    b, n, d = q.shape
    e = v.shape[-1]
    scale = 1.0 / d**0.5
    qf = q.astype(jnp.float32)

    def body(carry, xs):
        top, total, acc = carry
        j, kj, vj = xs
        ok = (j < lengths)[:, None]
        kj = jnp.where(ok, kj, 0).astype(jnp.float32)
        vj = jnp.where(ok, vj, 0).astype(jnp.float32)
        s = jnp.where(ok, jnp.einsum("bnd,bd->bn", qf, kj) * scale, -1e30)
        new_top = jnp.maximum(top, s)
        fade = jnp.exp(top - new_top)
        w = jnp.where(ok, jnp.exp(s - new_top), 0.0)
        return (new_top, total * fade + w, acc * fade[..., None] + w[..., None] * vj[:, None, :]), None

    init = (jnp.full((b, n), -1e30), jnp.zeros((b, n)), jnp.zeros((b, n, e)))
    xs = (jnp.arange(k.shape[1]), jnp.moveaxis(k, 1, 0), jnp.moveaxis(v, 1, 0))
    (_, total, acc), _ = lax.scan(body, init, xs)
    return (acc / jnp.maximum(total, 1e-30)[..., None]).astype(q.dtype)
