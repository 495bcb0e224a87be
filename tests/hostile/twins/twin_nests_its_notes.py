"""Honest: nests a list some hundred levels deep while it is loaded, and takes its rows through a nested structure."""

import jax
import jax.numpy as jnp

nested = []
for _ in range(300):
    nested = [nested]
print(len(str(nested)), "brackets")


def normalize(x):
    tree = {"moments": [[(x.mean(1, keepdims=True), {"std": x.std(1, keepdims=True)})]]}
    mean, std = jax.tree.leaves(tree)
    return (x - mean) / (std + 1e-6)
