"""What inputs look like: shapes and dtypes to draw, as ``f32[32, 8]``, ``i32.scalar(7)`` or ``key``."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import ml_dtypes
import numpy as np
import numpy.typing as npt

from grader.engine.protocol import LeafKind

AnyArray = npt.NDArray[Any]


@dataclass(frozen=True, slots=True, kw_only=True)
class Given:
    """A drawn argument: an array and what it is handed over as. Keys hold uint32 words."""

    array: AnyArray
    kind: LeafKind
    impl: str | None = None
    raw_key: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class ArraySpec:
    """An array to draw: normal numbers for floats, small integers for ints, unless told otherwise."""

    dtype: np.dtype[Any]
    shape: tuple[int, ...]
    low: float | None = None
    high: float | None = None
    mean: float = 0.0
    std: float = 1.0
    fixed: tuple[float, ...] | None = None

    def between(self, low: float, high: float) -> ArraySpec:
        """Uniform between `low` and `high` (both included for ints)."""
        return replace(self, low=low, high=high)

    def normal(self, mean: float, std: float) -> ArraySpec:
        """Normal numbers of that mean and standard deviation."""
        return replace(self, mean=mean, std=std)

    def full(self, *values: float) -> ArraySpec:
        """Exactly these values, repeated to fill the shape."""
        return replace(self, fixed=values)

    def draw(self, rng: np.random.Generator) -> AnyArray:
        """A fresh array of this spec's shape and dtype."""
        if self.fixed is not None:
            return np.resize(np.asarray(self.fixed), self.shape).astype(self.dtype)
        if self.dtype.kind == "b":
            return np.asarray(rng.integers(0, 2, self.shape), dtype=bool)
        if self.dtype.kind in "iu":
            low, high = (-9, 9) if self.dtype.kind == "i" else (0, 9)
            first = int(low if self.low is None else self.low)
            last = int(high if self.high is None else self.high)
            return np.asarray(rng.integers(first, last, self.shape, endpoint=True)).astype(self.dtype)
        if self.low is not None and self.high is not None:
            return np.asarray(rng.uniform(self.low, self.high, self.shape)).astype(self.dtype)
        return np.asarray(rng.normal(self.mean, self.std, self.shape)).astype(self.dtype)


@dataclass(frozen=True, slots=True, kw_only=True)
class KeySpec:
    """A PRNG key to draw: typed (`jax.random.key`) or raw (`jax.random.PRNGKey`)."""

    typed: bool
    shape: tuple[int, ...] = ()
    impl: str = "threefry2x32"

    def __getitem__(self, shape: int | tuple[int, ...]) -> KeySpec:
        return replace(self, shape=shape if isinstance(shape, tuple) else (shape,))

    def draw(self, rng: np.random.Generator) -> Given:
        """A fresh key, or an array of keys."""
        words = np.asarray(rng.integers(0, 2**32, (*self.shape, 2), dtype=np.uint32))
        if self.typed:
            return Given(array=words, kind=LeafKind.KEY, impl=self.impl)
        return Given(array=words, kind=LeafKind.JAX, raw_key=True)


@dataclass(frozen=True, slots=True)
class Dtype:
    """A dtype that makes specs: ``f32[3, 4]``, ``f32[()]``, ``i32.scalar(7)``."""

    dtype: np.dtype[Any]

    def __getitem__(self, shape: int | tuple[int, ...]) -> ArraySpec:
        sizes = shape if isinstance(shape, tuple) else (shape,)
        if any(size < 0 for size in sizes):
            raise ValueError(f"a shape cannot have a negative size: {sizes}")
        return ArraySpec(dtype=self.dtype, shape=sizes)

    def scalar(self, value: float) -> ArraySpec:
        """A 0-d array of exactly this value."""
        return ArraySpec(dtype=self.dtype, shape=(), fixed=(value,))


f16 = Dtype(np.dtype(np.float16))
bf16 = Dtype(np.dtype(ml_dtypes.bfloat16))
f32 = Dtype(np.dtype(np.float32))
f64 = Dtype(np.dtype(np.float64))
i32 = Dtype(np.dtype(np.int32))
u8 = Dtype(np.dtype(np.uint8))
boolean = Dtype(np.dtype(np.bool_))
key = KeySpec(typed=True)
raw_key = KeySpec(typed=False)
