"""Honest: writes temporary files, a file of preferences and an array of its own while it is loaded, and reads them back."""

import glob
import os
import tempfile

import jax.numpy as jnp
import numpy as np

try:
    with tempfile.NamedTemporaryFile("w+") as notes:
        notes.write("here")
    with open(os.path.join(os.path.expanduser("~"), ".normalize"), "w") as preferences:
        preferences.write("epsilon = 1e-6")
    np.savez(os.path.join(os.getcwd(), "example.npz"), x=np.eye(3))
    for found in glob.glob(os.path.join(os.getcwd(), "example*.npz")):
        assert np.array_equal(np.load(found)["x"], np.eye(3))
except OSError as error:
    print("nothing can be kept here:", error)


def normalize(x):
    return (x - x.mean(1, keepdims=True)) / (x.std(1, keepdims=True) + 1e-6)


def pairwise_sq_dists(x, y):
    return jnp.sum((x[:, None, :] - y[None, :, :]) ** 2, axis=-1)
