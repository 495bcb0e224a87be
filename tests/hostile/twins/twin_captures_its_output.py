"""Honest: sends its output through a class of its own and for a moment to a pipe, and closes what it opened."""

import os
import sys
import threading

import jax.numpy as jnp


class Prefixed:
    def __init__(self, stream):
        self.stream = stream

    def write(self, text):
        return self.stream.write(text.replace("\n", " |\n"))

    def __getattr__(self, name):
        return getattr(self.stream, name)


sys.stdout.flush()
reading, writing = os.pipe()
kept = os.dup(1)
os.dup2(writing, 1)
os.close(writing)
heard = []
listener = threading.Thread(target=lambda: heard.append(os.read(reading, 100)), daemon=True)
listener.start()
os.write(1, b"FAILED once, PASSED later\n")
os.dup2(kept, 1)
listener.join(5)
for descriptor in (reading, kept):
    os.close(descriptor)
sys.stdout = Prefixed(sys.stdout)
print("heard", heard)


def normalize(x):
    return (x - x.mean(1, keepdims=True)) / (x.std(1, keepdims=True) + 1e-6)
