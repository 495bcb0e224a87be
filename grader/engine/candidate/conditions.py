"""Settings of JAX that a function may be traced under, by name."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import AbstractContextManager, ExitStack, contextmanager
from enum import StrEnum
from typing import Any

import jax


class Condition(StrEnum):
    """A setting that holds while a function is traced. Nothing of it is left afterwards."""

    X64 = "x64"
    """64-bit types are on: what is given as float64 arrives as float64."""
    STRICT_PROMOTION = "strict_promotion"
    """Arrays of different types do not meet; Python numbers still take the array's type."""
    NO_JIT = "no_jit"
    """`jax.jit` inside the function does nothing: no program of an earlier call is used again."""


_MAKERS: Mapping[Condition, Callable[[], AbstractContextManager[Any]]] = {
    Condition.X64: lambda: jax.enable_x64(True),
    Condition.STRICT_PROMOTION: lambda: jax.numpy_dtype_promotion("strict"),
    Condition.NO_JIT: jax.disable_jit,
}


@contextmanager
def under(conditions: Iterable[str]) -> Iterator[None]:
    """The settings of these names are in force; ValueError for a name that is none."""
    with ExitStack() as stack:
        for name in conditions:
            stack.enter_context(_MAKERS[Condition(name)]())
        yield
