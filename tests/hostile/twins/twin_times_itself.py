"""Honest: warms up when it is imported, and times itself when it is run as a script."""

import threading
import time

import jax
import jax.numpy as jnp

MACHINE_LOCK = threading.Lock()


@jax.jit
def pairwise_sq_dists(x, y):
    d = x[:, None, :] - y[None, :, :]
    return jnp.einsum("nmd,nmd->nm", d, d)


pairwise_sq_dists(jnp.ones((2, 2)), jnp.ones((3, 2))).block_until_ready()


def main():
    x = jax.random.normal(jax.random.key(0), (256, 32))
    with MACHINE_LOCK:
        start = time.perf_counter()
        for _ in range(100):
            pairwise_sq_dists(x, x).block_until_ready()
        print((time.perf_counter() - start) / 100)


if __name__ == "__main__":
    main()
