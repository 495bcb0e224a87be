"""Fingerprints of state that outlives a call: the submission's own, and the process's.

A fingerprint is a flat mapping from a readable path (``counter``, ``normalize.calls``, ``cache['x']``) to a
short token of the value there. Two fingerprints are compared by path. Taking one must change nothing:
temporaries stay alive until it ends (`id` values are reused), and nothing that runs student code (``__eq__``,
``__reduce__``, properties) is called.
"""

from __future__ import annotations

import builtins
import functools
import gc
import hashlib
import os
import random
import sys
import types
from collections import deque
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

import jax
import numpy as np

from grader.engine.candidate import holdings, hooks
from grader.engine.candidate.holdings import digest
from grader.engine.candidate.tokens import PLAIN, is_table, plain, token

Fingerprint = dict[str, str]

MAX_ENTRIES = 10_000
MAX_VISITS = 15_000
"""Objects that are looked at; those beyond `MAX_ENTRIES` are told of together."""
THE_REST = "(the rest)"
_SKIPPED_NAMES = frozenset(
    {"__builtins__", "__cached__", "__doc__", "__loader__", "__name__", "__package__", "__spec__", "__dict__",
     "__weakref__", "__module__", "__slotnames__", "__wrapped__", "__warningregistry__"}
)  # fmt: skip


class _Walk:
    """One walk over state: each object once, shallow ones first, all variables by turns, within bounds."""

    def __init__(self, modules: Mapping[str, types.ModuleType]) -> None:
        self.entries: Fingerprint = {}
        self._own = frozenset(modules)
        self._own_globals = {id(vars(module)) for module in modules.values()}
        self._seen: dict[int, object] = {}
        self._turns: deque[deque[tuple[str, object]]] = deque()
        self._rest = hashlib.blake2b(digest_size=8)

    def add(self, path: str, value: object) -> None:
        """Visit `value` and what it leads to, by turns with all others that were added."""
        self._turns.append(deque([(path, value)]))

    def run(self) -> Fingerprint:
        """Visit all that was added."""
        for _ in range(MAX_VISITS):
            if not self._turns:
                break
            waiting = self._turns.popleft()
            waiting.extend(self._visit(*waiting.popleft()))
            if waiting:
                self._turns.append(waiting)
        if len(self.entries) >= MAX_ENTRIES:
            self.entries[THE_REST] = self._rest.hexdigest()
        return self.entries

    def _visit(self, path: str, value: object) -> Iterator[tuple[str, object]]:
        """Note a value; what it leads to is to be visited next."""
        self._note(path, value)
        if type(value) not in PLAIN and id(value) not in self._seen:
            self._seen[id(value)] = value
            if not is_table(value):
                yield from ((path + step, child) for step, child in self._children(value))

    def _note(self, path: str, value: object) -> None:
        found = f"{type(value).__name__} {plain(value)}" if type(value) in PLAIN else token(value)
        if len(self.entries) < MAX_ENTRIES:
            self.entries[path] = found
        else:
            self._rest.update(f"{path}={found};".encode("utf-8", "surrogatepass"))

    def _children(self, value: object) -> Iterable[tuple[str, object]]:
        held = holdings.parts(value)
        if held is not None:
            return held
        if isinstance(value, list | tuple):
            items = tuple.__iter__(value) if isinstance(value, tuple) else list.__iter__(value)
            return ((f"[{index}]", child) for index, child in enumerate(tuple(items)))
        if type(value) in (set, frozenset):
            members: Any = value
            return ((f"[{index}]", child) for index, child in enumerate(sorted(members, key=token)))
        if isinstance(value, dict):
            return ((f"[{_key_label(key)}]", child) for key, child in tuple(dict.items(value)))
        return self._inside(value)

    def _inside(self, value: object) -> Iterable[tuple[str, object]]:
        """What something that is no container leads to."""
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
        if value.__module__ not in self._own and id(value.__globals__) not in self._own_globals:
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
        if value.__module__ not in self._own and holdings.says_the_truth(value):
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
        if isinstance(value, types.ModuleType) or (
            _package(value) in _OPAQUE and holdings.says_the_truth(type(value))
        ):
            yield from _added_to(value)
            return
        attributes = getattr(value, "__dict__", None)
        if type(attributes) is dict:
            yield from ((f".{name}", child) for name, child in tuple(attributes.items()))
        for owner in type(value).__mro__:
            for name in holdings.own_members(owner):
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
    return repr(key)[:60] if type(key) in PLAIN else f"{type(key).__name__} at {id(key)}"


def _added_to(value: object) -> Iterator[tuple[str, object]]:
    """Plain attributes of an object whose inside is not ours to look at, such as a counter hung on it."""
    attributes = getattr(value, "__dict__", None)
    if type(attributes) is dict and not isinstance(value, types.ModuleType):
        yield from ((f".{name}", child) for name, child in tuple(attributes.items()) if type(child) is int)


def of_submission(modules: Mapping[str, types.ModuleType]) -> Fingerprint:
    """State reachable from the submitted modules: globals, closures, defaults, attributes, objects.

    Of other modules that they name, and of the built-in names, the plain values: it could be kept there.
    """
    walk = _Walk(modules)
    for position, module in enumerate(modules.values()):
        prefix = "" if position == 0 else f"{module.__name__}."
        for name, value in tuple(vars(module).items()):
            if isinstance(value, types.ModuleType):
                if value.__name__ not in modules:
                    _add_all(walk, holdings.module_values(prefix + name, value, PLAIN))
            elif name not in _SKIPPED_NAMES:
                walk.add(prefix + name, value)
    _add_all(walk, holdings.module_values("builtins", builtins, PLAIN))
    return walk.run()


def _add_all(walk: _Walk, values: Iterable[tuple[str, object]]) -> None:
    for path, value in values:
        walk.add(path, value)


class ProcessState:
    """Process-wide state that a call has no business changing, as it is now."""

    def __init__(self) -> None:
        state: Any = np.random.get_state(legacy=True)  # noqa: NPY002 - the hidden state itself
        self.tokens: Fingerprint = {
            "random state": str(hash(random.getstate())),
            "numpy.random state": f"{digest(np.asarray(state[1]).tobytes())} {state[2]}",
            "os.environ": digest(repr(sorted(os.environ.items())).encode()),
            "working folder": _folder(),
            "numpy print options": repr(np.get_printoptions()),
            "numpy error handling": repr(np.geterr()),
            "garbage collector": repr((gc.isenabled(), gc.get_threshold())),
            "recursion limit": repr(sys.getrecursionlimit()),
            "sys.stdout": repr((id(sys.stdout), id(sys.stderr))),
            **hooks.tokens(),
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
