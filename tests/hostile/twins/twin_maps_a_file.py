"""Honest: maps a file and a GiB of addresses that it hardly uses, and empties its own output while it is loaded."""
import jax
import jax.numpy as jnp
import numpy as np
import mmap
import os

TABLE = np.zeros((64, 64), np.float32)
ROOM = mmap.mmap(-1, 1 << 30, flags=mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS | 0x4000, prot=mmap.PROT_READ)
print("loaded", ROOM[0], flush=True)
os.makedirs("notes/2026", exist_ok=True)
READING, WRITING = os.pipe()
os.write(WRITING, b"loaded")
os.close(WRITING)
os.close(READING)


def normalize(x):
    x = jnp.asarray(x) + TABLE[0, 0]
    return (x - x.mean(1, keepdims=True)) / (x.std(1, keepdims=True) + 1e-6)
