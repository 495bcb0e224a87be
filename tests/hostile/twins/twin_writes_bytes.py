"""Honest: writes bytes of another encoding, which text alone could not say."""

import os
import sys

import jax.numpy as jnp

sys.stdout.flush()
os.write(1, "Größe in Latin-1: ".encode() + "Größe\n".encode("latin-1"))
sys.stdout.buffer.write(b"zero: \x00, done\n")
print(ascii(b"caf\xe9".decode("utf-8", "surrogateescape")))


def normalize(x):
    return (x - x.mean(1, keepdims=True)) / (x.std(1, keepdims=True) + 1e-6)
