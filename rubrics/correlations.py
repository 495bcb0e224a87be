"""Correlations of normal numbers that stand some places apart in their samples, with what chance does."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence

import numpy as np
import numpy.typing as npt

from rubrics import bounds

Floats = npt.NDArray[np.float64]

_TELLING = 20.0
"""Square of a correlation, times the number of products, below which no bound is small."""


def telling(samples: Sequence[Floats]) -> Iterator[tuple[int, float, float]]:
    """Distance, mean product and logarithm of its chance, nearest first, where the chance may be small.

    All distances together are off no more often than their chances say of each.
    """
    products, counts = _products(samples)
    sizes = Counter(sample.size for sample in samples if sample.size > 1)
    for position in np.flatnonzero(products**2 > _TELLING * counts):
        mean, apart = float(products[position] / counts[position]), int(position) + 1
        yield apart, mean, bounds.of_neighbours(mean, _chains(sizes, apart)) + math.log(products.size)


def _products(samples: Sequence[Floats]) -> tuple[Floats, Floats]:
    """For each distance from 1 on, over all samples: the sum of the products and how many they are."""
    longest = max((part.size for part in samples), default=0)
    sums, counts = np.zeros((2, max(longest - 1, 0)))
    for size in {part.size for part in samples if part.size > 1}:
        rows = np.stack([part for part in samples if part.size == size])
        spectrum = np.abs(np.fft.rfft(rows, 2 * size, axis=1)) ** 2
        sums[: size - 1] += np.fft.irfft(spectrum.sum(axis=0))[1:size]
        counts[: size - 1] += len(rows) * np.arange(size - 1, 0, -1)
    return sums, counts


def _chains(samples: Mapping[int, int], apart: int) -> Counter[int]:
    """How many chains of each length the samples, counted by size, fall into at a distance."""
    chains: Counter[int] = Counter()
    for size, count in samples.items():
        length, longer = divmod(size, apart)
        chains[length + 1] += count * longer
        chains[length] += count * (apart - longer)
    return chains
