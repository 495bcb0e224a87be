"""Honest: asks where its packages and their byte code lie, to say so in a bug report."""

import importlib.util
import os
import sys

import jax.numpy as jnp
import numpy as np

sys.dont_write_bytecode = True
for name in ("numpy", "jax"):
    file = getattr(sys.modules.get(name), "__file__", None)
    if file:
        folder = os.path.join(os.path.dirname(file), "__pycache__")
        print(name, os.path.isdir(folder), importlib.util.cache_from_source(file).endswith(".pyc"))
print(np.__version__)


def normalize(x):
    return (x - x.mean(1, keepdims=True)) / (x.std(1, keepdims=True) + 1e-6)
