import jax.numpy as jnp


class Attention:
    """Scaled dot-product attention."""

    def __init__(self, big=1e9):
        self.big = big

    def mask(self, m, lengths):
        return (jnp.arange(m)[None, :] < lengths[:, None])[:, None, :]

    def __call__(self, q, k, v, lengths):
        q, k, v, lengths = map(jnp.asarray, (q, k, v, lengths))
        mask = self.mask(k.shape[1], lengths)
        col = jnp.swapaxes(mask, 1, 2)
        k = jnp.where(col, k, jnp.zeros_like(k))
        v = jnp.where(col, v, jnp.zeros_like(v))
        s = jnp.matmul(q, jnp.swapaxes(k, -1, -2)) * (q.shape[-1] ** -0.5)
        s = jnp.where(mask, s, -self.big)
        e = jnp.exp(s - s.max(axis=-1, keepdims=True)) * mask
        total = e.sum(axis=-1, keepdims=True)
        out = jnp.matmul(e, v) / jnp.where(total == 0, 1, total)
        return out.astype(q.dtype)


attend = Attention()
