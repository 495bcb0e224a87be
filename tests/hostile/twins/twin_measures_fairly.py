"""Honest: has a stopwatch and a wrapper that logs, and waits for its results when it measures."""

import functools
import time

import jax
import jax.numpy as jnp

LOGGED = []
clock = {name: getattr(time, name) for name in ("time", "perf_counter", "monotonic")}


def logged(f):
    @functools.wraps(f)
    def call(*args, **options):
        if LOGGED:
            time.sleep(0.001)
        return f(*args, **options)

    return call


@logged
def pairwise_sq_dists(x, y):
    return jnp.sum((x[:, None, :] - y[None, :, :]) ** 2, axis=-1)


def measure(f, *args):
    start = clock["perf_counter"]()
    jax.block_until_ready(f(*args))
    return clock["perf_counter"]() - start


print("took a while" if measure(pairwise_sq_dists, jnp.ones((3, 2)), jnp.ones((4, 2))) > 0 else "took nothing")
