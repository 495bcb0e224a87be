"""What is known of the way to a right result: enough to tell what lies on it, too little to walk it.

Of each array the solution makes, its shape, its scale and a few sums of its elements with random weights are
kept. An array that agrees with them all is, but for a chance of about 10^-8, equal within the tolerance. The
sums do not give the elements away, nor how they came about, nor in which order: what a student downloads may
hold them. They are rounded to that tolerance: two exact sums of whole numbers or truth values have one
solution even where there are dozens of them. Who can try all values of an array still finds it (two numbers,
or some 25 truth values): whatever knows an array again allows that.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any, Self

import numpy as np
import numpy.typing as npt

AnyArray = npt.NDArray[Any]
Floats = npt.NDArray[np.float64]

_RTOL = 1e-4
"""Of an array's scale, its largest finite number: how far elements may lie apart."""
_SUMS = 2
"""Sums of each part. One would let one wrong array in ten thousand pass for another."""
_NUMBERS, _PARTS = 2, 4
"""Real and imaginary parts; then what is not a number and what is infinite, which are compared by place."""
_EXACT = 1e-9
"""Sums of ones stray by less."""
SKETCH = 1 + _PARTS * _SUMS
"""Numbers that are kept of an array: its scale, and the sums of its parts."""

Shape = tuple[int, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Landmarks:
    """Sketches of arrays, in an order that says nothing: float64[n, SKETCH], with the shape of each."""

    shapes: tuple[Shape, ...]
    sketches: Floats

    @classmethod
    def of(cls, arrays: Iterable[AnyArray]) -> Self:
        """Of these arrays; one that occurs twice is kept once."""
        drawn = sorted({_sketched(array) for array in arrays})
        sketches = np.array([sketch for _, sketch in drawn], np.float64).reshape(-1, SKETCH)
        return cls(shapes=tuple(shape for shape, _ in drawn), sketches=sketches)

    def has(self, array: AnyArray) -> bool:
        """Whether an array, or its negative, is among them, whatever axes of size 1 it has."""
        value = _comparable(array)
        alike = [index for index, shape in enumerate(self.shapes) if shape == value.shape]
        if not alike:
            return False
        known = self.sketches[alike]
        weights = _weights(value.size)
        return any(_agrees(_sums(each, weights), known, weights) for each in (value, -value))


def _sketched(array: AnyArray) -> tuple[Shape, tuple[float, ...]]:
    value = _comparable(array)
    scale, weights = _scale(value), _weights(value.size)
    sums, steps = _sums(value, weights), _steps(np.array([scale]), weights)[0]
    rounded = np.divide(sums, steps, out=np.zeros_like(sums), where=steps > 0).round() * steps
    return value.shape, (scale, *map(float, np.where(steps > 0, rounded, sums).ravel()))


def _agrees(sums: Floats, known: Floats, weights: Floats) -> bool:
    theirs = known[:, 1:].reshape(-1, _PARTS, _SUMS)
    # Two and a half: one for the array's scale, one for the element itself, half for the rounding.
    room = _EXACT + 2.5 * _steps(known[:, 0], weights)
    return bool((np.abs(theirs - sums) <= room).all(axis=(1, 2)).any())


def _steps(scales: Floats, weights: Floats) -> Floats:
    """To what the sums of arrays of these scales are rounded; 0 for those of places, which are exact.

    float64[n, _PARTS, _SUMS].
    """
    steps = np.zeros((len(scales), _PARTS, _SUMS))
    steps[:, :_NUMBERS] = _RTOL * scales[:, None, None] * np.linalg.norm(weights, axis=0)
    return steps


def _sums(value: AnyArray, weights: Floats) -> Floats:
    """float64[_PARTS, _SUMS]."""
    flat = value.ravel()
    nan, infinite = np.isnan(flat), np.isinf(flat)
    finite = np.where(nan | infinite, 0, flat)
    signs = np.where(infinite, np.sign(flat.real) + 2 * np.sign(flat.imag), 0).real
    parts = np.stack([finite.real, finite.imag, nan, signs])
    with np.errstate(over="ignore", invalid="ignore"):
        return np.asarray(parts, np.float64) @ weights


def _weights(size: int) -> Floats:
    """The same for all arrays of a size: float64[size, _SUMS]."""
    return np.random.default_rng(size).standard_normal((size, _SUMS))


def _scale(value: AnyArray) -> float:
    return float(np.max(np.abs(value), initial=0.0, where=np.isfinite(value)))


def _comparable(array: AnyArray) -> AnyArray:
    """Without axes of size 1, in a type in which everything can be subtracted."""
    plain = np.squeeze(array)
    return plain.astype(np.complex128 if plain.dtype.kind == "c" else np.float64)
