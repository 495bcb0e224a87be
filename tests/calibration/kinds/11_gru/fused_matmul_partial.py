import functools

import jax
import jax.numpy as jnp
from jax import lax


def _step(wx, uzr, un, carry, px):
    h = carry
    pz, pr, pn = jnp.split(px, 3)
    z, r = jnp.split(jax.nn.sigmoid(jnp.concatenate([pz, pr]) + h @ uzr), 2)
    n = jnp.tanh(pn + (r * h) @ un)
    out = (1.0 - z) * h + z * n
    return out, out


def gru(params, h0, xs):
    names = "update", "reset", "new"
    w = jnp.concatenate([params[n]["w"] for n in names], axis=1)
    b = jnp.concatenate([params[n]["b"] for n in names])
    uzr = jnp.concatenate([params[n]["u"] for n in names[:2]], axis=1)
    projected = jnp.asarray(xs) @ w + b
    return lax.scan(functools.partial(_step, w, uzr, jnp.asarray(params["new"]["u"])), jnp.asarray(h0), projected)
