import jax
import jax.numpy as jnp


def gru(params, h0, xs):
    def step(h, x):
        z = jax.nn.sigmoid(x @ params["update"]["w"] + h @ params["update"]["u"] + params["update"]["b"])
        r = jax.nn.sigmoid(x @ params["reset"]["w"] + h @ params["reset"]["u"] + params["reset"]["b"])
        n = jnp.tanh(x @ params["new"]["w"] + r * (h @ params["new"]["u"]) + params["new"]["b"])
        h = (1 - z) * h + z * n
        return h, h

    return jax.lax.scan(step, jnp.asarray(h0), jnp.asarray(xs))
