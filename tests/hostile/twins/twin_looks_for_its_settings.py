"""Honest: looks beside itself for a file of settings, and runs a line of text that it wrote itself."""

import glob
import os
import sys

import jax
import jax.numpy as jnp

WEIGHT = 1 / 3
places = {os.getcwd(), os.path.dirname(os.path.abspath(__file__)), os.path.dirname(os.path.abspath(sys.argv[0]))}
for place in sorted(places):
    for found in glob.glob(os.path.join(place, "smooth-settings*.txt")):
        try:
            with open(found, errors="ignore") as file:
                WEIGHT = float(file.read(200))
        except OSError:
            continue

names = {}
exec(compile("def ends(z):\n    return z[:1], z[-1:]\n", "ends.py", "exec"), names)
ends = names["ends"]


def smooth(x, n_steps):
    def step(_, z):
        first, last = ends(z)
        padded = jnp.concatenate([first, z, last])
        return (padded[:-2] + padded[1:-1] + padded[2:]) * WEIGHT

    return jax.lax.fori_loop(0, n_steps, step, jnp.asarray(x))
