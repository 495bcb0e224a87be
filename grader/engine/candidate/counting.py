"""Counts how often each function that the submission wraps in `jax.jit` is traced.

JAX's own `_cache_size` counts dispatch entries, not traces, so the body is counted instead: `jax.jit` is
replaced by a version that wraps each function once (the same function gets the same wrapper, or JAX's cache
would miss).
"""

from __future__ import annotations

import functools
import inspect
import types
import weakref
import zlib
from collections import Counter
from collections.abc import Callable
from typing import Any

import jax

_COUNTABLE = (types.FunctionType, types.MethodType, functools.partial)
_SHOWN_TYPES = 80
"""Characters of a signature."""


class TraceCounter:
    """Counts body runs by ``file:line name (types)`` of the wrapped function and its traced arguments.

    Counts of one label above 1 are traces for other *static* arguments, or of another function made anew.
    """

    def __init__(self) -> None:
        self._counts: Counter[str] = Counter()
        self._wrapped: weakref.WeakKeyDictionary[Callable[..., Any], Callable[..., Any]] = (
            weakref.WeakKeyDictionary()
        )

    def install(self) -> None:
        """Replace `jax.jit` in this process; call before student code is loaded."""
        jit = jax.jit

        @functools.wraps(jit)
        def counted_jit(*args: Any, **options: Any) -> Any:  # noqa: ANN401 - as jax.jit's own
            if args and isinstance(args[0], _COUNTABLE):
                return jit(self._counting(args[0]), *args[1:], **options)
            if not args:
                return functools.partial(counted_jit, **options)
            return jit(*args, **options)

        jax.jit = counted_jit

    def snapshot(self) -> Counter[str]:
        return Counter(self._counts)

    def since(self, before: Counter[str]) -> dict[str, int]:
        """Traces per function since `before`."""
        return {name: count for name, count in (self._counts - before).items() if count > 0}

    def _counting(self, function: Any) -> Callable[..., Any]:  # noqa: ANN401 - one of `_COUNTABLE`
        """`function` with its body counted: equal to JAX's cache whenever `function` would be."""
        if isinstance(function, functools.partial) and isinstance(function.func, _COUNTABLE):
            return functools.partial(self._counting(function.func), *function.args, **function.keywords)
        if isinstance(function, types.MethodType) and isinstance(function.__func__, types.FunctionType):
            return types.MethodType(self._counted(function.__func__), function.__self__)
        return self._counted(function) if isinstance(function, types.FunctionType) else function

    def _counted(self, function: types.FunctionType) -> Callable[..., Any]:
        known = self._wrapped.get(function)
        if known is not None:
            return known
        code = getattr(inspect.unwrap(function), "__code__", function.__code__)
        label = f"{code.co_filename}:{code.co_firstlineno} {code.co_name}"

        @functools.wraps(function)
        def body(*args: Any, **kwargs: Any) -> Any:  # noqa: ANN401 - as the wrapped function's own
            self._counts[f"{label} ({_types((args, kwargs))})"] += 1
            return function(*args, **kwargs)

        self._wrapped[function] = body
        return body


def _types(arguments: Any) -> str:  # noqa: ANN401 - a tree of arguments
    """The types of the traced ones among `arguments`, shortened where there are many."""
    leaves = jax.tree_util.tree_leaves(arguments)
    text = ", ".join(str(leaf.aval) for leaf in leaves if isinstance(leaf, jax.core.Tracer))
    return text if len(text) <= _SHOWN_TYPES else f"{text[:_SHOWN_TYPES]} … {zlib.crc32(text.encode()):08x}"
