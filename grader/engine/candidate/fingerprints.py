"""Fingerprints of state that outlives a call: the submission's own, and the process's.

A fingerprint is a flat mapping from a readable path (``counter``, ``normalize.calls``, ``cache['x']``) to a
short token of the value there. Two fingerprints are compared by path. Taking one must change nothing:
temporaries stay alive until it ends (`id` values are reused), and nothing that runs student code (``__eq__``,
``__reduce__``, properties) is called.
"""

from __future__ import annotations

import functools
import gc
import hashlib
import os
import random
import sys
import types
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

import jax
import numpy as np

from grader.engine.protocol import AnyArray

Fingerprint = dict[str, str]

MAX_ENTRIES = 20_000
MAX_DEPTH = 12
_LONG = 100
_PLAIN = (bool, int, float, complex, str, bytes, type(None))
_SKIPPED_NAMES = frozenset(
    {"__builtins__", "__cached__", "__doc__", "__file__", "__loader__", "__name__", "__package__", "__spec__",
     "__dict__", "__weakref__", "__module__", "__annotations__", "__slotnames__", "__wrapped__", "__path__",
     "__warningregistry__"}
)  # fmt: skip


class _Walk:
    """One walk over state: each object once, a bounded number of entries."""

    def __init__(self, own_modules: frozenset[str]) -> None:
        self.entries: Fingerprint = {}
        self._own = own_modules
        self._seen: dict[int, object] = {}

    def visit(self, path: str, value: object, depth: int = 0) -> None:
        if depth > MAX_DEPTH or len(self.entries) >= MAX_ENTRIES:
            return
        if type(value) in _PLAIN:
            self.entries[path] = f"{type(value).__name__} {_plain(value)}"
            return
        self.entries[path] = _token(value)
        if id(value) in self._seen:
            return
        self._seen[id(value)] = value
        for step, child in self._children(value):
            self.visit(path + step, child, depth + 1)

    def _children(self, value: object) -> Iterable[tuple[str, object]]:
        kind = type(value)
        if isinstance(value, list | tuple):
            items = tuple.__iter__(value) if isinstance(value, tuple) else list.__iter__(value)
            return ((f"[{index}]", child) for index, child in enumerate(tuple(items)))
        if kind in (set, frozenset):
            members: Any = value
            return ((f"[{index}]", child) for index, child in enumerate(sorted(members, key=_token)))
        if isinstance(value, dict):
            return ((f"[{_key_label(key)}]", child) for key, child in tuple(dict.items(value)))
        if isinstance(value, functools.partial):
            return (("(function)", value.func), ("(arguments)", value.args), ("(keywords)", value.keywords))
        if isinstance(value, types.FunctionType | types.MethodType):
            return self._function(value)
        if isinstance(value, types.GeneratorType):
            return (("(frame)", value.gi_frame and (value.gi_frame.f_lasti, dict(value.gi_frame.f_locals))),)
        if isinstance(value, type):
            return self._class(value)
        return self._instance(value)

    def _function(self, value: types.FunctionType | types.MethodType) -> Iterator[tuple[str, object]]:
        if isinstance(value, types.MethodType):
            yield "(self)", value.__self__
            return
        if value.__module__ not in self._own:
            return
        yield "(defaults)", (value.__defaults__, value.__kwdefaults__)
        names = value.__code__.co_freevars
        for name, cell in zip(names, value.__closure__ or (), strict=True):
            try:
                yield f"({name})", cell.cell_contents
            except ValueError:
                continue
        for name, child in tuple(vars(value).items()):
            if name not in _SKIPPED_NAMES:
                yield f".{name}", child

    def _class(self, value: type) -> Iterator[tuple[str, object]]:
        if value.__module__ not in self._own:
            return
        for name, child in tuple(vars(value).items()):
            if name not in _SKIPPED_NAMES and not isinstance(child, types.GetSetDescriptorType):
                yield f".{name}", child

    def _instance(self, value: object) -> Iterator[tuple[str, object]]:
        wrapped = getattr(value, "__wrapped__", None) if _is_wrapper(value) else None
        if isinstance(value, _LRU_CACHE):
            yield from ((f"(cache)[{_key_label(key)}]", kept) for key, kept in _remembered(value))
        if wrapped is not None:
            yield "", wrapped
            return
        if isinstance(value, types.ModuleType) or _package(value) in _OPAQUE:
            return
        attributes = getattr(value, "__dict__", None)
        if type(attributes) is dict:
            yield from ((f".{name}", child) for name, child in tuple(attributes.items()))
        for owner in type(value).__mro__:
            for name in _slots(owner):
                try:
                    yield f".{name}", object.__getattribute__(value, name)
                except AttributeError:
                    continue


_OPAQUE = frozenset(
    {"grader", "jax", "jaxlib", "numpy", "threading", "_thread", "weakref", "functools", "re", "logging"}
)


def _is_wrapper(value: object) -> bool:
    return _package(value) in ("jaxlib", "jax", "functools") and callable(value)


def _package(value: object) -> str:
    """Where a value's type comes from; a student's class may say anything, even no text."""
    return str(type(value).__module__).partition(".")[0]


_LRU_CACHE = type(functools.lru_cache(lambda: None))


def _remembered(cache: object) -> Iterator[tuple[object, object]]:
    """Keys and results of a `functools.lru_cache`. Its order and its counters are no state of the program."""
    recent: list[object] = []
    for held in gc.get_referents(cache):
        if isinstance(held, type) and held.__name__ == "_lru_list_elem" and len(recent) > 1:
            yield (
                recent[-2],
                recent[-1],
            )  # a link shows as its key, its result, its type
            recent = []
        elif type(held) is dict and held is not vars(cache):
            yield from ((key, kept) for key, kept in held.items() if type(kept).__name__ != "_lru_list_elem")
        else:
            recent.append(held)


def _key_label(key: object) -> str:
    """Different for different keys, without running any submitted ``__repr__``."""
    if isinstance(key, tuple | list):  # a shape, or a call of several arguments
        return ", ".join(map(_key_label, tuple(key)))[:100]
    return repr(key)[:60] if type(key) in _PLAIN else f"{type(key).__name__} at {id(key)}"


def _slots(owner: type) -> tuple[str, ...]:
    slots = vars(owner).get("__slots__", ())
    return (slots,) if isinstance(slots, str) else tuple(slots)


def _token(value: object) -> str:
    """A short token that changes when `value` itself changes; containers change through their children."""
    kind = type(value)
    if kind in _PLAIN:
        return _plain(value)
    if isinstance(value, jax.core.Tracer):
        return f"leaked tracer {id(value)}"
    if isinstance(value, np.ndarray):
        return f"ndarray {value.shape} {value.dtype} {_digest(_contents(value))}"
    if isinstance(value, np.random.Generator):
        return f"generator {_digest(repr(value.bit_generator.state).encode())}"
    if isinstance(value, np.random.RandomState):
        return f"generator {_digest(repr(value.get_state()).encode())}"
    if isinstance(value, random.Random):
        return f"generator {_digest(repr(value.getstate()).encode())}"
    if kind in (list, tuple, dict, set, frozenset):
        return f"{kind.__name__} of {len(value)} at {id(value) if kind is not tuple else 0}"  # type: ignore[arg-type]
    return f"{kind.__name__} at {id(value)}"


def _plain(value: Any) -> str:  # noqa: ANN401 - one of _PLAIN
    """A plain value as short text that differs for different values, however long they are."""
    if type(value) is int and value.bit_length() > _LONG:
        size = value.bit_length() // 8 + 1
        return f"of {value.bit_length()} bits {_digest(value.to_bytes(size, 'little', signed=True))}"
    if type(value) in (str, bytes) and len(value) > _LONG:
        data = value if type(value) is bytes else value.encode("utf-8", "surrogatepass")
        return f"{value[:60]!r}… of {len(value)} {_digest(data)}"
    return repr(value)


def _contents(array: AnyArray) -> bytes | memoryview:
    """What an array holds, without a copy where that can be: it may be as large as its author's memory.

    An axis along which it repeats itself is looked at once; a broadcast view seems vast and holds little.
    """
    repeats = (size > 1 and stride == 0 for size, stride in zip(array.shape, array.strides, strict=True))
    held = np.ascontiguousarray(array[tuple(slice(1) if repeat else slice(None) for repeat in repeats)])
    if held.dtype.hasobject or not held.dtype.itemsize:
        return held.tobytes()
    return held.reshape(-1).view(np.uint8).data


def _digest(data: bytes | memoryview) -> str:
    return hashlib.blake2b(data, digest_size=8).hexdigest()


def of_submission(modules: Mapping[str, types.ModuleType]) -> Fingerprint:
    """State reachable from the submitted modules: globals, closures, defaults, attributes, objects."""
    walk = _Walk(frozenset(modules))
    for position, module in enumerate(modules.values()):
        prefix = "" if position == 0 else f"{module.__name__}."
        for name, value in tuple(vars(module).items()):
            if name not in _SKIPPED_NAMES and not isinstance(value, types.ModuleType):
                walk.visit(prefix + name, value)
    return walk.entries


class ProcessState:
    """Process-wide state that a call has no business changing, as it is now."""

    def __init__(self) -> None:
        state: Any = np.random.get_state(legacy=True)  # noqa: NPY002 - the hidden state itself
        self.tokens: Fingerprint = {
            "random state": str(hash(random.getstate())),
            "numpy.random state": f"{_digest(np.asarray(state[1]).tobytes())} {state[2]}",
            "os.environ": _digest(repr(sorted(os.environ.items())).encode()),
            "working folder": _folder(),
            "numpy print options": repr(np.get_printoptions()),
            "numpy error handling": repr(np.geterr()),
            "garbage collector": repr((gc.isenabled(), gc.get_threshold())),
            "recursion limit": repr(sys.getrecursionlimit()),
            "sys.stdout": repr((id(sys.stdout), id(sys.stderr))),
            **{f"jax.config.{name}": repr(value) for name, value in jax.config.values.items()},
        }
        self._attributes = {module.__name__: dict(vars(module)) for module in _GUARDED}

    def changes_since(self, before: ProcessState) -> list[tuple[str, str, str]]:
        """What differs from `before`. A module that gained a name (a lazy import) has not changed."""
        rebound = [
            (f"attributes of {module}", name, "replaced")
            for module, attributes in before._attributes.items()
            for name, value in attributes.items()
            if self._attributes[module].get(name) is not value
        ]
        return changed(before.tokens, self.tokens) + rebound


_GUARDED = (jax, jax.numpy, jax.lax, jax.random, np, random)
"""Modules whose names nobody may rebind."""


def _folder() -> str:
    try:
        return os.getcwd()  # noqa: PTH109 - the bare fact, not a path to work with
    except OSError:
        return ""


def changed(before: Fingerprint, after: Fingerprint) -> list[tuple[str, str, str]]:
    """Paths whose token differs, with both tokens (empty where there was none), shortest paths first."""
    paths = [path for path in before.keys() | after.keys() if before.get(path) != after.get(path)]
    return [
        (path, before.get(path, ""), after.get(path, "")) for path in sorted(paths, key=lambda p: (len(p), p))
    ]
