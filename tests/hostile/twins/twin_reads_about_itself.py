"""Honest: asks about versions, arguments and files when it is run as a script, and for nothing when graded."""

import glob
import os
import sys

import jax
import jax.numpy as jnp


def normalize(x):
    centred = x - jnp.mean(x, axis=1, keepdims=True)
    return centred / (jnp.std(x, axis=1, keepdims=True) + 1e-6)


def main():
    print("jax", jax.__version__, "on", jax.devices(), "called with", sys.argv)
    print("files here:", glob.glob(os.path.join(os.getcwd(), "*.py")))
    print("JAX settings:", {k: v for k, v in os.environ.items() if k.startswith("JAX_")})
    print(normalize(jnp.arange(6.0).reshape(2, 3)))


if __name__ == "__main__":
    main()
