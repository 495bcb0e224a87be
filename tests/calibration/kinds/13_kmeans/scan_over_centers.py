import jax
import jax.numpy as jnp


class KMeans:
    def __init__(self, points):
        self.points = jnp.asarray(points).astype("float32")

    def predict(self, centers):
        def closer(best, item):
            dist, lab = best
            j, c = item
            d = jnp.square(self.points - c).sum(axis=1)
            return (jnp.minimum(d, dist), jnp.where(d < dist, j, lab)), None

        n = self.points.shape[0]
        k = centers.shape[0]
        init = (jnp.full(n, jnp.inf), jnp.zeros(n, jnp.int32))
        return jax.lax.scan(closer, init, (jnp.arange(k, dtype=jnp.int32), centers))[0][1]

    def fit(self, centers, max_iter):
        def body(val):
            i, c, lab, _ = val
            mask = lab == jnp.arange(c.shape[0], dtype=lab.dtype)[:, None]
            mean = jnp.mean(jnp.broadcast_to(self.points, (c.shape[0], *self.points.shape)), axis=1, where=mask[..., None])
            c = jnp.where(mask.any(1)[:, None], mean, c)
            nl = self.predict(c)
            return i + 1, c, nl, ~jnp.array_equal(nl, lab)

        lab = self.predict(centers)
        out = jax.lax.while_loop(lambda v: v[3] & (v[0] < max_iter), body, (jnp.int32(0), centers, lab, jnp.array(True)))
        return out[1], out[2]


def kmeans(points, centers, max_iter):
    return KMeans(points).fit(jnp.asarray(centers).astype("float32"), max_iter)
