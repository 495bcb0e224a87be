import jax
import jax.numpy as jnp


def gru(params, h0, xs):
    for gate in ("update", "reset", "new"):
        p = params[gate]
        if "u" in p:
            p["kernel"] = jnp.concatenate([p.pop("w"), p.pop("u")])
    def step(h, x):
        z = jax.nn.sigmoid(jnp.concatenate([x, h]) @ params["update"]["kernel"] + params["update"]["b"])
        r = jax.nn.sigmoid(jnp.concatenate([x, h]) @ params["reset"]["kernel"] + params["reset"]["b"])
        n = jnp.tanh(jnp.concatenate([x, r * h]) @ params["new"]["kernel"] + params["new"]["b"])
        h = (1 - z) * h + z * n
        return h, h

    return jax.lax.scan(step, jnp.asarray(h0), jnp.asarray(xs))
