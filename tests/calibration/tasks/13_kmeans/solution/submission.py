import jax
import jax.numpy as jnp


def kmeans(points, centers, max_iter):
    points = jnp.asarray(points).astype(jnp.float32)
    centers = jnp.asarray(centers).astype(jnp.float32)
    k = centers.shape[0]

    def assign(centers):
        gaps = points[:, None, :] - centers[None, :, :]
        return jnp.argmin(jnp.sum(gaps * gaps, axis=-1), axis=1).astype(jnp.int32)

    def step(state):
        count, centers, labels, _ = state
        member = (labels[:, None] == jnp.arange(k)).astype(jnp.float32)
        size = member.sum(0)[:, None]
        moved = jnp.where(size > 0, member.T @ points / jnp.maximum(size, 1), centers)
        new = assign(moved)
        return count + 1, moved, new, jnp.any(new != labels)

    start = (jnp.int32(0), centers, assign(centers), jnp.bool_(True))
    _, centers, labels, _ = jax.lax.while_loop(lambda s: (s[0] < max_iter) & s[3], step, start)
    return centers, labels
