"""What objects of the standard library hold that no attribute shows: items, positions, contents of files.

Nothing here runs submitted code, and nothing is taken from an object: an iterator is where it was.
"""

from __future__ import annotations

import array
import collections
import contextvars
import hashlib
import io
import itertools
import logging
import os
import sqlite3
import sys
import threading
import types
import weakref
from collections.abc import Iterable, Iterator
from typing import Any

from grader.engine.candidate import hiding

_HEAP_TYPE = 1 << 9
"""The flag of types that were made while the program runs; nobody can replace a method of the others."""
_STREAMS = 3
"""Output is told of as output."""

Steps = Iterable[tuple[str, object]]


def digest(data: bytes | memoryview | bytearray) -> str:
    """A short text that differs for different contents."""
    return hashlib.blake2b(data, digest_size=8).hexdigest()


def contents(value: object) -> str | None:
    """A text that changes with what a buffer, a file or a database holds; None for everything else."""
    if isinstance(value, bytearray):
        return digest(bytearray.__getitem__(value, slice(None)))
    if isinstance(value, array.array):
        return digest(array.array.tobytes(value))
    if isinstance(value, io.BytesIO) and not value.closed:
        return digest(io.BytesIO.getvalue(value))
    if isinstance(value, io.StringIO) and not value.closed:
        return digest(io.StringIO.getvalue(value).encode("utf-8", "surrogatepass"))
    if isinstance(value, sqlite3.Connection):
        return _writes(value)
    return _file(value) if isinstance(value, io.IOBase) else None


def _writes(connection: sqlite3.Connection) -> str:
    """How many rows were written through it."""
    try:
        return str(sqlite3.Connection.total_changes.__get__(connection))
    except sqlite3.Error:
        return "closed"


def _file(value: io.IOBase) -> str | None:
    """Size and position of an open file, whatever waits to be written written; None for our own streams."""
    writer = next((kind for kind in (io.TextIOWrapper, io.BufferedWriter, io.BufferedRandom, io.FileIO)
                   if isinstance(value, kind)), None)  # fmt: skip
    if writer is None:
        return None
    try:
        descriptor = writer.fileno(value)
        if descriptor < _STREAMS:
            return None
        writer.flush(value)
        return f"{os.fstat(descriptor).st_size} {os.lseek(descriptor, 0, os.SEEK_CUR)}"
    except (OSError, ValueError):
        return "closed"


def parts(value: object) -> Steps | None:
    """What a container or iterator leads to, each with its step of the path; None for everything else."""
    if isinstance(value, collections.deque):
        return ((f"[{index}]", item) for index, item in enumerate(tuple(collections.deque.__iter__(value))))
    if isinstance(value, threading.local):
        return (
            (f".{name}", item)
            for name, item in tuple(threading.local.__getattribute__(value, "__dict__").items())
        )
    if isinstance(value, contextvars.ContextVar):
        return (("(value)", contextvars.ContextVar.get(value, None)),)
    if isinstance(value, weakref.WeakKeyDictionary | weakref.WeakValueDictionary):
        held = value.__dict__.get("data")
        return (("", held),) if type(held) is dict else ()
    if isinstance(value, weakref.ref) and type(value) is not weakref.ref:
        return (("()", weakref.ref.__call__(value)),)
    if isinstance(value, logging.Logger):
        return ((".handlers", vars(value).get("handlers")),)
    if isinstance(value, logging.StreamHandler):
        return ((".stream", vars(value).get("stream")),)
    return _position(value)


def _position(value: object) -> Steps | None:
    """Where a built-in iterator is: how it would be made again."""
    kind = type(value)
    if kind.__flags__ & _HEAP_TYPE or kind.__module__ not in ("builtins", "itertools"):
        return None
    if not hasattr(kind, "__next__") or isinstance(value, types.GeneratorType):
        return None
    if isinstance(value, itertools.count):
        return (("(next)", repr(value)),)
    try:
        made: Any = kind.__reduce__(value)
    except TypeError:
        return None
    return (
        ((f"(rest)[{index}]", part) for index, part in enumerate(made[1:])) if type(made) is tuple else None
    )


def module_values(
    name: str, module: types.ModuleType, plain: tuple[type, ...]
) -> Iterator[tuple[str, object]]:
    """Plain values in a module that the submission did not write: what it may put there."""
    for attribute, value in tuple(vars(module).items()):
        if type(value) in plain and not attribute.startswith("__"):
            yield f"{name}.{attribute}", value


def own_members(owner: type) -> Iterator[str]:
    """Names of the slots of a class, whatever its ``__slots__`` says by now."""
    for name, member in tuple(vars(owner).items()):
        if isinstance(member, types.MemberDescriptorType):
            yield name


def says_the_truth(kind: type) -> bool:
    """Whether a class is found where it says that it comes from; inner classes are believed."""
    module, name = kind.__module__, kind.__qualname__
    if not isinstance(module, str) or "<locals>" in name:
        return isinstance(module, str)
    found: Any = hiding.hidden.get(module) or sys.modules.get(module)
    for step in name.split("."):
        found = getattr(found, "__dict__", {}).get(step)
    return found is kind or not kind.__flags__ & _HEAP_TYPE
