"""Honest: prints what the system says of its memory, its own variables, arguments and streams, as people do to debug."""

import json
import os
import stat
import sys

import jax
import jax.numpy as jnp

try:
    with open("/proc/self/status") as status:
        print([line.strip() for line in status if line.startswith(("VmRSS", "Threads"))])
except OSError as error:
    print("no numbers here:", error)
print("started by", os.getppid(), json.dumps({k: v for k, v in os.environ.items() if k.startswith("JAX")}))
print(json.dumps(sys.argv), jax.__version__)
for stream in range(3):
    try:
        print(stream, stat.S_ISCHR(os.fstat(stream).st_mode))
    except OSError:
        continue


def normalize(x):
    if x.ndim != 2:
        raise RuntimeError("normalize takes a matrix; JAX_PLATFORMS=" + os.environ.get("JAX_PLATFORMS", ""))
    return (x - x.mean(1, keepdims=True)) / (x.std(1, keepdims=True) + 1e-6)
