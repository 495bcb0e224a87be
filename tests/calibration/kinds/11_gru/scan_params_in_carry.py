import jax
import jax.numpy as jnp
from typing import NamedTuple


class Carry(NamedTuple):
    params: dict
    h: jax.Array


def gru(params, h0, xs):
    params = {g: {k: jnp.array(a) for k, a in p.items()} for g, p in params.items()}

    def step(carry, x):
        p, h = carry
        act = {"update": jax.nn.sigmoid, "reset": jax.nn.sigmoid}
        z, r = [act[g](x @ p[g]["w"] + h @ p[g]["u"] + p[g]["b"]) for g in act]
        n = jnp.tanh(x @ p["new"]["w"] + (r * h) @ p["new"]["u"] + p["new"]["b"])
        h = jnp.where(True, (1 - z) * h + z * n, h)
        return carry._replace(h=h), h

    final, hs = jax.lax.scan(step, Carry(params, jnp.array(h0)), jnp.array(xs))
    return final.h, hs
