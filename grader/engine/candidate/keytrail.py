"""Writes down each evaluation of the key hash while code runs plainly: keys, counters, and the line.

For functions that cannot be traced, and so have no program whose keys could be followed in the bench. Nested
jits are switched off meanwhile, so that every evaluation comes by here with concrete words.
"""

from __future__ import annotations

import sys
from collections.abc import Container, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from types import FrameType
from typing import Any

import jax
import numpy as np
import numpy.typing as npt
from jax._src.random.threefry2x32 import threefry2x32_p

Words = npt.NDArray[np.uint32]

MAX_CALLS = 2_000
MAX_ROWS = 1 << 18
_PURPOSES = {"threefry_split": "split", "threefry_fold_in": "fold_in"}
"""Functions of JAX that make new keys; every other evaluation is a draw."""


class TrailTooLong(RuntimeError):
    """More evaluations than are written down."""


@dataclass(slots=True)
class KeyTrail:
    """The evaluations in order: words of each, uint32[n, 2], and what is known about it besides."""

    keys: list[Words] = field(default_factory=list)
    counters: list[Words] = field(default_factory=list)
    about: list[dict[str, Any]] = field(default_factory=list)
    _rows: int = 0

    def add(self, words: list[Any], about: dict[str, Any]) -> None:
        """One evaluation; `words` are the two of the key and the two of the counter, of one shape each."""
        first, second, high, low = np.broadcast_arrays(*map(np.asarray, words))
        self._rows += first.size
        if len(self.keys) >= MAX_CALLS or self._rows > MAX_ROWS:
            raise TrailTooLong("the function draws too often for its keys to be followed")
        self.keys.append(np.stack([first.ravel(), second.ravel()], axis=1).astype(np.uint32))
        self.counters.append(np.stack([high.ravel(), low.ravel()], axis=1).astype(np.uint32))
        self.about.append({**about, "last_axis": first.shape[-1] if first.ndim else 1})


@contextmanager
def following(files: Container[str]) -> Iterator[KeyTrail]:
    """Follow the keys used in the block; lines are those of the submitted `files`."""
    primitive: Any = threefry2x32_p
    trail, hashed = KeyTrail(), primitive.impl

    def noted(*words: Any, **params: Any) -> Any:  # noqa: ANN401 - as the primitive's own
        trail.add(list(words), _about(files))
        return hashed(*words, **params)

    primitive.def_impl(noted)
    try:
        with jax.disable_jit():
            yield trail
    finally:
        primitive.def_impl(hashed)


def _about(files: Container[str]) -> dict[str, Any]:
    """What for, and the innermost submitted line that led here."""
    purpose = "draw"
    frame: FrameType | None = sys._getframe(2)  # noqa: SLF001 - the callers of the primitive
    while frame is not None:
        name, file = frame.f_code.co_name, frame.f_code.co_filename
        purpose = _PURPOSES.get(name, purpose) if purpose == "draw" else purpose
        if file in files:
            return {"purpose": purpose, "file": file, "line": frame.f_lineno, "function": name[:100]}
        frame = frame.f_back
    return {"purpose": purpose, "file": "", "line": 0, "function": ""}
