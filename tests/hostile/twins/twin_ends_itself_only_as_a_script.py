"""Honest: can end, skip and replace itself, but only as a script or where a package is missing."""

import os
import shutil
import sys

try:
    import jax
    import jax.numpy as jnp
except ImportError:
    sys.exit("install jax first")
try:
    import pytest
except ImportError:
    pytest = None


def pairwise_sq_dists(x, y):
    return jnp.sum((x[:, None, :] - y[None, :, :]) ** 2, axis=-1)


def smooth(x, n_steps):
    def step(_, z):
        padded = jnp.pad(z, 1, mode="edge")
        return (padded[:-2] + padded[1:-1] + padded[2:]) / 3

    return jax.lax.fori_loop(0, n_steps, step, jnp.asarray(x))


def test_smooth():
    if pytest is None:
        raise SystemExit(0)
    if not len(jax.devices()):
        pytest.exit("no device", returncode=0)
    assert smooth(jnp.ones(3), 2).shape == (3,)


if __name__ == "__main__":
    if shutil.which("less") and "--help" in sys.argv:
        os.execv("/usr/bin/less", ["less", __file__])
    sys.exit(0)
