import jax
import jax.numpy as jnp
from jax import lax


def gru(params, h0, xs):
    h0, xs = jnp.asarray(h0), jnp.asarray(xs)
    t = xs.shape[0]
    lin = lambda p, x, h: x @ p["w"] + h @ p["u"] + p["b"]
    p = jax.tree_util.tree_map(jnp.asarray, params)

    def body(i, state):
        h, hs = state
        x = xs[i]
        z = jax.nn.sigmoid(lin(p["update"], x, h))
        r = jax.nn.sigmoid(lin(p["reset"], x, h))
        n = jnp.tanh(lin(p["new"], x, r * h))
        h = (1 - z) * h + z * n
        return h, hs.at[i].set(h)

    if t == 0:
        return h0, jnp.zeros((0, h0.shape[0]), h0.dtype)
    return lax.fori_loop(0, t, body, (h0, jnp.zeros((t, h0.shape[0]), h0.dtype)))
