"""Honest: catches everything while it is loaded, compiles a hundred operations, and loops until the values say so."""

import time

import jax
import jax.numpy as jnp

began = time.monotonic()
for attempt in range(10_000):
    try:
        raise KeyboardInterrupt
    except BaseException:
        continue
print("tried", attempt + 1, "times", "in no time" if time.monotonic() - began < 60 else "slowly")


@jax.jit
def _many(z):
    for i in range(100):
        z = jnp.tanh(z * (1.0 + i * 1e-6))
    return z


print("tanh of tanh:", bool(_many(jnp.ones(3))[0] < 1))
state = jax.lax.while_loop(lambda c: c[0] < 20_000, lambda c: (c[0] + 1, jnp.sin(c[1])), (0, jnp.float32(0.5)))
print("rounds:", int(state[0]))


def smooth(x, n_steps):
    def body(c):
        i, z = c
        p = jnp.concatenate([z[:1], z, z[-1:]])
        return i + 1, (p[:-2] + p[1:-1] + p[2:]) / 3.0

    return jax.lax.while_loop(lambda c: c[0] < n_steps, body, (0, jnp.asarray(x)))[1]
