"""Honest: uses some memory and some threads, has a long table in its source, and a loop that ends by itself."""

from concurrent.futures import ThreadPoolExecutor

import jax
import jax.numpy as jnp
import numpy as np

TABLE = np.array([[i * j % 97 for j in range(2000)] for i in range(2000)], np.float32)
with ThreadPoolExecutor(4) as pool:
    ROW_SUMS = list(pool.map(np.sum, TABLE))


def smooth(x, n_steps):
    def unfinished(state):
        return state[0] < n_steps

    def step(state):
        i, z = state
        left = jnp.concatenate([z[:1], z[:-1]])
        right = jnp.concatenate([z[1:], z[-1:]])
        return i + 1, (left + z + right) / 3

    return jax.lax.while_loop(unfinished, step, (0, jnp.asarray(x)))[1]
