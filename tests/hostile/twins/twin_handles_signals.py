"""Honest: has a handler for Ctrl-C, asks whether it is alive, and reads a string of its own through the C library."""

import ctypes
import os
import signal

import jax.numpy as jnp

interrupted = []
before = signal.signal(signal.SIGINT, lambda number, frame: interrupted.append(number))
try:
    os.kill(os.getpid(), 0)
except OSError:
    pass
signal.signal(signal.SIGINT, before)
libc = ctypes.CDLL(None, use_errno=True)
text = ctypes.create_string_buffer(b"epsilon")
assert ctypes.string_at(ctypes.addressof(text)) == b"epsilon"
print("process", libc.getpid() == os.getpid(), libc.strlen(text))


def normalize(x):
    return (x - x.mean(1, keepdims=True)) / (x.std(1, keepdims=True) + 1e-6)
