"""What is known of the way to a right result: enough to tell what lies on it, too little to walk it.

Of each array the solution makes, its shape, its scale and a few sums of its elements with random weights are
kept. An array that agrees with them all is, but for a chance of about 10^-8, equal within the tolerance. The
sums do not give the elements away (unless there are only two), nor how they came about, nor in which order:
what a student downloads may hold them.
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
        return any(_agrees(_sums(each), known, _weights(each.size)) for each in (value, -value))


def _sketched(array: AnyArray) -> tuple[Shape, tuple[float, ...]]:
    value = _comparable(array)
    return value.shape, (_scale(value), *map(float, _sums(value).ravel()))


def _agrees(sums: Floats, known: Floats, weights: Floats) -> bool:
    theirs = known[:, 1:].reshape(-1, _PARTS, _SUMS)
    # Twice the relative tolerance: once for the array's scale, once for the element itself. Places are exact.
    room = np.full(theirs.shape, _EXACT)
    room[:, :_NUMBERS] += 2 * _RTOL * known[:, :1, None] * np.linalg.norm(weights, axis=0)
    return bool((np.abs(theirs - sums) <= room).all(axis=(1, 2)).any())


def _sums(value: AnyArray) -> Floats:
    """float64[_PARTS, _SUMS]."""
    flat = value.ravel()
    nan, infinite = np.isnan(flat), np.isinf(flat)
    finite = np.where(nan | infinite, 0, flat)
    signs = np.where(infinite, np.sign(flat.real) + 2 * np.sign(flat.imag), 0).real
    parts = np.stack([finite.real, finite.imag, nan, signs])
    with np.errstate(over="ignore", invalid="ignore"):
        return np.asarray(parts, np.float64) @ _weights(flat.size)


def _weights(size: int) -> Floats:
    """The same for all arrays of a size: float64[size, _SUMS]."""
    return np.random.default_rng(size).standard_normal((size, _SUMS))


def _scale(value: AnyArray) -> float:
    return float(np.max(np.abs(value), initial=0.0, where=np.isfinite(value)))


def _comparable(array: AnyArray) -> AnyArray:
    """Without axes of size 1, in a type in which everything can be subtracted."""
    plain = np.squeeze(array)
    return plain.astype(np.complex128 if plain.dtype.kind == "c" else np.float64)
