import jax
import jax.numpy as jnp


def gru(params, h0, xs):
    params = jax.tree.map(jnp.asarray, params)

    def gate(name, x, h):
        layer = params[name]
        return x @ layer["w"] + h @ layer["u"] + layer["b"]

    def step(h, x):
        z = jax.nn.sigmoid(gate("update", x, h))
        r = jax.nn.sigmoid(gate("reset", x, h))
        new = jnp.tanh(gate("new", x, r * h))
        h = (1 - z) * h + z * new
        return h, h

    return jax.lax.scan(step, jnp.asarray(h0), jnp.asarray(xs))
