"""Values in and out of student code: leaves of messages to arrays, and results back to leaves."""

from __future__ import annotations

from typing import Any

import jax
import jax.numpy as jnp
import numpy as np

from grader.engine.protocol import DTYPES, Leaf, LeafKind

MAX_RESULT_BYTES = 64 << 20
ALIGNMENT = 64
"""Bytes; XLA shares the memory of NumPy arrays that begin at a multiple of it."""


def key_impl(key: Any) -> str:  # noqa: ANN401 - a typed key array
    """The name of a typed key's PRNG implementation, such as ``threefry2x32``."""
    return str(jax.random.key_impl(key))


def is_key(value: object) -> bool:
    """Whether `value` is an array (or tracer, or shape) of typed PRNG keys."""
    dtype = getattr(value, "dtype", None)
    return dtype is not None and jnp.issubdtype(dtype, jax.dtypes.prng_key)


def concrete(leaf: Leaf) -> Any:  # noqa: ANN401 - any array type, or a Python scalar
    """The value a leaf carries: a JAX or NumPy array of its own, a typed key, a Python scalar."""
    array = leaf.array
    if array is None:
        raise ValueError("an abstract leaf has no value")
    match leaf.kind:
        case LeafKind.JAX:
            return _on_device(array)
        case LeafKind.KEY:
            return jax.random.wrap_key_data(_on_device(array), impl=leaf.impl)
        case LeafKind.SCALAR:
            return array.item()
        case _:
            return _aligned(array)


def _on_device(array: np.ndarray[Any, Any]) -> jax.Array:
    """A JAX array of its own memory. `jnp.asarray` would compile a program for each new shape."""
    placed: jax.Array = jax.device_put(array.copy())
    return placed


def _aligned(array: np.ndarray[Any, Any]) -> np.ndarray[Any, Any]:
    """A writable copy that starts where XLA can take it over without copying: what may alias does."""
    buffer = np.empty(array.nbytes + ALIGNMENT, np.uint8)
    start = -buffer.ctypes.data % ALIGNMENT
    copy: np.ndarray[Any, Any] = buffer[start : start + array.nbytes].view(array.dtype).reshape(array.shape)
    copy[...] = array
    return copy


def abstract(leaf: Leaf) -> jax.ShapeDtypeStruct:
    """Shape and dtype of a leaf for tracing; typed keys become key-typed, Python scalars weakly typed."""
    if leaf.kind is LeafKind.KEY or leaf.impl is not None:
        keys = jax.eval_shape(lambda: jax.random.key(0, impl=leaf.impl))
        return jax.ShapeDtypeStruct(leaf.shape[:-1], keys.dtype)
    dtype = jax.dtypes.canonicalize_dtype(DTYPES[leaf.dtype])
    return jax.ShapeDtypeStruct(leaf.shape, dtype, weak_type=leaf.weak)


def as_result_leaf(value: object) -> Leaf | None:
    """A leaf with the bytes of a concrete array-like; None for anything that is not an array."""
    if isinstance(value, jax.Array):
        return _from_jax(value)
    if isinstance(value, np.ndarray | np.generic):
        return _from_numpy(np.asarray(value))
    if type(value) in (bool, int, float, complex):
        return _from_scalar(value)
    return None


def _from_jax(value: jax.Array) -> Leaf | None:
    if value.is_deleted():
        return Leaf(kind=LeafKind.ABSTRACT, dtype="uint8", shape=(), impl="deleted")
    if is_key(value):
        words = np.asarray(jax.random.key_data(value))
        return Leaf.of(words, kind=LeafKind.KEY, impl=key_impl(value))
    return _sized(np.asarray(value), LeafKind.JAX, weak=bool(getattr(value, "weak_type", False)))


def _from_numpy(value: np.ndarray[Any, Any]) -> Leaf | None:
    return _sized(np.array(value, subok=False), LeafKind.NUMPY, weak=False)


def _from_scalar(value: object) -> Leaf | None:
    array = np.asarray(value)
    return _sized(array, LeafKind.SCALAR, weak=True)


def may_travel(array: np.ndarray[Any, Any]) -> bool:
    """Whether an array is of a dtype and a size that a message carries."""
    return array.dtype.name in DTYPES and array.nbytes <= MAX_RESULT_BYTES


def _sized(array: np.ndarray[Any, Any], kind: LeafKind, *, weak: bool) -> Leaf | None:
    if not may_travel(array):
        return None
    return Leaf.of(array, kind=kind, weak=weak)
