import jax
import jax.numpy as jnp


def kmeans(points, centers, max_iter):
    points, centers = jnp.asarray(points, jnp.float32), jnp.asarray(centers, jnp.float32)
    label = lambda c: jnp.argmin(((points[:, None] - c) ** 2).sum(-1), 1) * 1.0

    def body(s):
        i, c, z, _ = s
        m = (z[:, None] == jnp.arange(c.shape[0])).astype(jnp.float32)
        n = m.sum(0)[:, None]
        c = jnp.where(n > 0, (m.T @ points) / jnp.maximum(n, 1), c)
        new = label(c)
        return i + 1, c, new, jnp.any(new != z)

    out = jax.lax.while_loop(lambda s: (s[0] < max_iter) & s[3], body, (0, centers, label(centers), True))
    return out[1], out[2]
