"""Honest: recurs a few hundred levels and prints a thousand lines while it is imported; then a plain scan."""

import jax
import jax.numpy as jnp


def depth(n):
    return 0 if n == 0 else 1 + depth(n - 1)


print("depth", depth(300))
for line in range(1000):
    print("line", line)


def smooth(x, n_steps):
    def step(z, _):
        padded = jnp.pad(z, 1, mode="edge")
        return (padded[:-2] + padded[1:-1] + padded[2:]) / 3.0, None

    z, _ = jax.lax.scan(step, jnp.asarray(x), None, length=n_steps)
    return z
