"""Ways to damage bytes and JSON. Pure: the same generator gives the same damage."""

from __future__ import annotations

import copy
import json
import random
import struct
from collections.abc import Callable, Iterator, Sequence
from typing import Any

_TOKENS = (
    b"\0", b"\xff", b"\xef\xbb\xbf", b"\xff\xfe", b"\xed\xa0\x80", b"\r", b"\x1a", b"\x1b[2J", b"PK\x03\x04",
    b"PK\x01\x02", b"PK\x05\x06", b"PK\x06\x06", b"JXG1", b'"', b"'''", b"{", b"[", b"\\", b"1e999",
    b"NaN", b"# coding: utf-7\n", b"# -*- coding: rot13 -*-\n", b"%%bash\n", b"!ls\n", b"\\ud800", b"../",
    b"/", b"ML\xefR", b"def ", b"lambda:", b"\t", b"nbformat", "\u202e".encode(), "e\u0301".encode(),
)  # fmt: skip
_LENGTHS = (0, 1, 0x7F, 0x80, 0xFF, 0x7FFF, 0xFFFF, 0x7FFFFFFF, 0x80000000, 0xFFFFFFFF)
_NESTS = (b"[", b"(", b"{", b"-", b"not ", b'{"c":[', b"f(", b"x.", b"x+", b"lambda:")

Part = Any
"""A JSON value, or a part of one."""

VALUES: tuple[Any, ...] = (
    None, True, False, 0, 1, -1, 7, 255, 1 << 31, 1 << 53, (1 << 53) + 1, 1 << 64, 10**300, 0.5, -0.0, 1e308,
    "", "\0", "\ud800", "\u202e", "\x1b[2J", "../../etc/passwd", "a" * 5000, "inf", "nan", "-1", "f", "f.py",
    "leaf", "const", "tuple", "list", "dict", "namedtuple", "object", "key", "jax", "numpy", "scalar",
    "abstract", "uint32", "float32", "bfloat16", "complex128", "int4", "threefry2x32", "rbg", "deleted", [],
    {}, [[]], [0], [-1], [1, 2, 3], {"t": "leaf", "i": 0}, {"t": "leaf", "i": 9}, {"t": "const", "v": None},
    {"t": "const", "f": "x"}, {"t": "tuple", "c": []}, {"t": "dict", "k": [["str", "w"]], "c": []},
)  # fmt: skip
"""What takes the place of a part of a JSON value."""


def dice(seed: str) -> random.Random:
    """A generator that can be had again."""
    return random.Random(seed)  # noqa: S311 - to be repeated, not secret


def damaged(rng: random.Random, data: bytes, others: Sequence[bytes] = ()) -> bytes:
    """`data` after one to four accidents; `others` are what it may be spliced with."""
    for _ in range(rng.randint(1, 4)):
        data = rng.choice(_ACCIDENTS)(rng, data, others or (data,))
    return data


def flipped(rng: random.Random, data: bytes) -> bytes:
    """`data` with a few bits the other way."""
    changed = bytearray(data)
    for _ in range(rng.randint(1, 8) if changed else 0):
        changed[rng.randrange(len(changed))] ^= 1 << rng.randrange(8)
    return bytes(changed)


def _flip(rng: random.Random, data: bytes, _others: Sequence[bytes]) -> bytes:
    return flipped(rng, data)


def _truncate(rng: random.Random, data: bytes, _others: Sequence[bytes]) -> bytes:
    return data[: rng.randint(0, len(data))]


def _cut(rng: random.Random, data: bytes, _others: Sequence[bytes]) -> bytes:
    begin, end = _span(rng, data)
    return data[:begin] + data[end:]


def _repeat(rng: random.Random, data: bytes, _others: Sequence[bytes]) -> bytes:
    begin, end = _span(rng, data)
    return data[:end] + data[begin:end] * rng.choice((1, 2, 30)) + data[end:]


def _insert(rng: random.Random, data: bytes, _others: Sequence[bytes]) -> bytes:
    at = rng.randint(0, len(data))
    return data[:at] + rng.choice(_TOKENS) + data[at:]


def _noise(rng: random.Random, data: bytes, _others: Sequence[bytes]) -> bytes:
    begin, end = _span(rng, data)
    return data[:begin] + rng.randbytes(end - begin) + data[end:]


def _splice(rng: random.Random, data: bytes, others: Sequence[bytes]) -> bytes:
    other = rng.choice(others)
    return data[: rng.randint(0, len(data))] + other[rng.randint(0, len(other)) :]


def _length(rng: random.Random, data: bytes, _others: Sequence[bytes]) -> bytes:
    """Overwrite what may be a length or an offset."""
    at, value = rng.randint(0, len(data)), rng.choice(_LENGTHS)
    form = rng.choice(("<I", "<Q", ">I")) if value > 0xFFFF else rng.choice(("<H", "<I", "<Q"))
    return data[:at] + struct.pack(form, value) + data[at + struct.calcsize(form) :]


def _nest(rng: random.Random, data: bytes, _others: Sequence[bytes]) -> bytes:
    at = rng.randint(0, len(data))
    return data[:at] + rng.choice(_NESTS) * rng.choice((20, 150, 3000)) + data[at:]


_Accident = Callable[[random.Random, bytes, Sequence[bytes]], bytes]
_ACCIDENTS: tuple[_Accident, ...] = (
    _flip, _flip, _truncate, _cut, _repeat, _insert, _insert, _noise, _splice, _length, _nest,
)  # fmt: skip


def _span(rng: random.Random, data: bytes) -> tuple[int, int]:
    begin = rng.randint(0, len(data))
    return begin, min(len(data), begin + rng.choice((1, 4, 16, 64, 256)))


def warped(rng: random.Random, value: Part) -> Part:
    """A copy of a JSON value after one to three accidents to its parts."""
    holder = [json.loads(json.dumps(value))]
    for _ in range(rng.choice((1, 1, 2, 3))):
        slots = list(_slots(holder))
        if slots:
            _warp(rng, *rng.choice(slots))
    return holder[0] if holder else None


def _warp(rng: random.Random, container: Part, place: Part) -> None:
    match rng.randrange(6):
        case 0 | 1 | 2:
            container[place] = _another(rng, container[place])
        case 3:
            del container[place]
        case 4:
            container[place] = _nested(container[place], rng.choice((1, 30, 100)))
        case _ if isinstance(container, list):
            container.insert(place, container[place])
        case _:
            container[str(rng.choice(VALUES))[:20]] = container.pop(place)


def _another(rng: random.Random, value: Part) -> Part:
    """Any of the values; mostly one of the same type, which may pass for right where another type cannot."""
    alike = [each for each in VALUES if type(each) is type(value)]
    return copy.deepcopy(rng.choice(alike if alike and rng.random() < 0.7 else VALUES))


def _nested(value: Part, depth: int) -> Part:
    for _ in range(depth):
        value = {"t": "tuple", "c": [value]}
    return value


def _slots(container: Part) -> Iterator[tuple[Any, Any]]:
    """Every place below `container` that holds something, as (container, index or key)."""
    waiting = [container]
    while waiting:
        here = waiting.pop()
        places = here.items() if isinstance(here, dict) else enumerate(here)
        for place, child in list(places):
            yield here, place
            if isinstance(child, dict | list):
                waiting.append(child)
