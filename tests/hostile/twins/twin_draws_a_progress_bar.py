"""Honest: draws a bar with terminal codes and a banner for its own tests, and prints one long line."""

import jax.numpy as jnp

for percent in range(0, 101, 20):
    print(f"\r\x1b[2K\x1b[32m{'#' * (percent // 5):20}\x1b[0m {percent}%", end="")
print("\n" + "=" * 41 + "\n MY OWN TESTS: 3 / 3 passed\n" + "=" * 41)
print("x" * 50_000)


def normalize(x):
    if x.ndim != 2:
        raise ValueError("\x1b[31mnot a matrix\x1b[0m" + "!" * 10_000)
    return (x - x.mean(1, keepdims=True)) / (x.std(1, keepdims=True) + 1e-6)
