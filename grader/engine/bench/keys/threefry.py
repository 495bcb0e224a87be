"""Threefry-2x32 with 20 rounds, in NumPy: the same function that JAX's default keys are hashed with."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from grader.engine.bench.survey import PARITY

Words = npt.NDArray[np.uint32]

_ROTATIONS = ((13, 15, 26, 6), (17, 29, 16, 24))


def threefry2x32(keys: Words, counters: Words) -> Words:
    """Hash `counters` with `keys`, both uint32[n, 2]; uint32[n, 2].

    >>> threefry2x32(np.zeros((1, 2), np.uint32), np.zeros((1, 2), np.uint32)).tolist()
    [[1797259609, 2579123966]]
    """
    first, second = keys[:, 0], keys[:, 1]
    schedule = (first, second, first ^ second ^ np.uint32(PARITY))
    left, right = counters[:, 0] + first, counters[:, 1] + second
    for step in range(5):
        for rotation in _ROTATIONS[step % 2]:
            left = left + right
            right = left ^ _rotate(right, rotation)
        left = left + schedule[(step + 1) % 3]
        right = right + schedule[(step + 2) % 3] + np.uint32(step + 1)
    return np.stack([left, right], axis=1)


def _rotate(words: Words, by: int) -> Words:
    return (words << np.uint32(by)) | (words >> np.uint32(32 - by))
