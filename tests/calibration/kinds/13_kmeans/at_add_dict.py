import jax
import jax.numpy as jnp
from jax.lax import while_loop


def kmeans(points, centers, max_iter):
    x = jnp.array(points, dtype=float)
    n, d = x.shape

    def nearest(c):
        d2 = jnp.linalg.norm(x[:, None, :] - c, axis=-1)
        return d2.argmin(1).astype("int32")

    def cond(s):
        return (s["i"] < max_iter) & (s["moved"] > 0)

    def body(s):
        c, lab = s["c"], s["lab"]
        tot = jnp.zeros_like(c).at[lab].add(x)
        cnt = jnp.zeros(c.shape[0]).at[lab].add(1.0)
        c = jnp.where((cnt > 0)[:, None], tot / cnt.clip(1)[:, None], c)
        new = nearest(c)
        return dict(i=s["i"] + 1, c=c, lab=new, moved=jnp.sum(new != lab))

    c0 = jnp.array(centers, dtype=float)
    s = dict(i=0, c=c0, lab=nearest(c0), moved=jnp.int32(1))
    s = while_loop(cond, body, s)
    return s["c"], s["lab"]
