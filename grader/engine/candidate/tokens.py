"""Short texts that differ for different values, by which two looks at state are compared."""

from __future__ import annotations

import hashlib
import random
from typing import Any

import jax
import numpy as np

from grader.engine.candidate import holdings
from grader.engine.candidate.holdings import digest
from grader.engine.protocol import AnyArray

PLAIN = (bool, int, float, complex, str, bytes, type(None))
MANY = 64
"""Items from which on a list of plain values is told of as one."""
_LONG = 100


def token(value: object) -> str:
    """A short text that changes when `value` itself changes; containers change through their children."""
    kind = type(value)
    if kind in PLAIN:
        return plain(value)
    if isinstance(value, jax.core.Tracer):
        return f"leaked tracer {id(value)}"
    if isinstance(value, np.ndarray):
        return f"ndarray {value.shape} {value.dtype} {digest(_contents(value))}"
    state = _generator(value)
    if state is not None:
        return f"generator {digest(repr(state).encode())}"
    return _of_object(value)


def plain(value: Any) -> str:  # noqa: ANN401 - one of PLAIN
    """A plain value as short text, however long it is."""
    if type(value) is int and value.bit_length() > _LONG:
        size = value.bit_length() // 8 + 1
        return f"of {value.bit_length()} bits {digest(value.to_bytes(size, 'little', signed=True))}"
    if type(value) in (str, bytes) and len(value) > _LONG:
        data = value if type(value) is bytes else value.encode("utf-8", "surrogatepass")
        return f"{value[:60]!r}… of {len(value)} {digest(data)}"
    return repr(value)


def is_table(value: object) -> bool:
    """Whether this is a long list of plain values."""
    kind = type(value)
    if kind not in (list, tuple, set, frozenset):
        return False
    items: Any = value
    return len(items) >= MANY and all(type(item) in PLAIN for item in tuple(items))


def _of_object(value: object) -> str:
    kind, items = type(value).__name__, value
    held = _of_table(value) if is_table(value) else holdings.contents(value)
    if held is not None:
        return f"{kind} at {id(value)} {held}"
    if type(items) in (list, tuple, dict, set, frozenset):
        return f"{kind} of {len(items)} at {id(value) if type(value) is not tuple else 0}"  # type: ignore[arg-type]
    return f"{kind} at {id(value)}"


def _of_table(value: Any) -> str:  # noqa: ANN401 - a list of plain values
    whole = hashlib.blake2b(digest_size=8)
    for item in tuple(value):
        whole.update(f"{type(item).__name__} {plain(item)};".encode("utf-8", "surrogatepass"))
    return f"of {len(value)} {whole.hexdigest()}"


def _generator(value: object) -> object:
    """The state of a generator of random numbers; None for everything else."""
    if isinstance(value, np.random.Generator):
        return value.bit_generator.state
    if isinstance(value, np.random.RandomState):
        return value.get_state()
    return value.getstate() if isinstance(value, random.Random) else None


def _contents(array: AnyArray) -> bytes | memoryview:
    """What an array holds, without a copy where that can be: it may be as large as its author's memory.

    An axis along which it repeats itself is looked at once; a broadcast view seems vast and holds little.
    """
    repeats = (size > 1 and stride == 0 for size, stride in zip(array.shape, array.strides, strict=True))
    held = np.ascontiguousarray(array[tuple(slice(1) if repeat else slice(None) for repeat in repeats)])
    if held.dtype.hasobject or not held.dtype.itemsize:
        return held.tobytes()
    return held.reshape(-1).view(np.uint8).data
