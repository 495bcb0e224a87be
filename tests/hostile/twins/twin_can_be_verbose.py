"""Honest: can show each round through jax.debug, which is switched off."""

import jax
import jax.numpy as jnp

VERBOSE = False
_trace = []


def smooth(x, n_steps):
    def body(_, z):
        p = jnp.concatenate([z[:1], z, z[-1:]])
        z = (p[:-2] + p[1:-1] + p[2:]) / 3.0
        if VERBOSE:
            jax.debug.callback(lambda v: _trace.append(v), z)
        return z

    return jax.lax.fori_loop(0, n_steps, body, jnp.asarray(x))
