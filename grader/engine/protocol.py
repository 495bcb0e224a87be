"""Framed messages between the engine's processes: a JSON head and raw array bytes, size-limited, no pickle.

One frame is ``MAGIC · u32 head length · u64 body length · head · body``, little endian. The head is strict
JSON (no NaN, bounded depth) and names each array's kind, dtype and shape; the body is their bytes end to end,
then the blobs (exported programs). A peer may be hostile: every length is checked before it is believed, and
a frame that breaks a rule raises `ProtocolViolation` before anything in it is used.
"""

from __future__ import annotations

import json
import math
import struct
from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any, BinaryIO

import ml_dtypes
import numpy as np
import numpy.typing as npt

from grader.domain.errors import ProtocolViolation

MAGIC = b"JXG1"
_PREFIX = struct.Struct("<4sIQ")
_PIECE = 1 << 20
"""Bytes by which a frame's buffer begins to grow; after that it doubles."""

AnyArray = npt.NDArray[Any]

_ML_DTYPES = ("bfloat16", "float8_e4m3fn", "float8_e5m2", "int4", "uint4")
_NUMPY_DTYPES = (
    "bool", "int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64",
    "float16", "float32", "float64", "complex64", "complex128",
)  # fmt: skip
DTYPES: Mapping[str, np.dtype[Any]] = {
    **{name: np.dtype(name) for name in _NUMPY_DTYPES},
    **{name: np.dtype(getattr(ml_dtypes, name)) for name in _ML_DTYPES},
}
"""Every dtype that may travel. Object, string and structured arrays have no place here."""


RESULT_ORIGINS = frozenset({"numpy", "scalar", "deleted"})
"""What `Leaf.impl` says of an abstract result that is no typed key: where it came from."""


class LeafKind(StrEnum):
    """What an array is on the receiving side."""

    JAX = "jax"
    NUMPY = "numpy"
    KEY = "key"
    """A typed PRNG key; the array holds its uint32 words, the last axis being one key's."""
    SCALAR = "scalar"
    """A Python int, float, bool or complex."""
    ABSTRACT = "abstract"
    """Shape and dtype only: no bytes travel."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Leaf:
    """One array of a message. `array` is None exactly for abstract leaves."""

    kind: LeafKind
    dtype: str
    shape: tuple[int, ...]
    array: AnyArray | None = None
    weak: bool = False
    impl: str | None = None
    """For keys, the PRNG implementation (``threefry2x32``, ``rbg``…)."""

    @property
    def impl_is_key(self) -> bool:
        """Whether this is a typed PRNG key, concrete or abstract."""
        return self.kind is LeafKind.KEY or (self.impl is not None and self.impl not in RESULT_ORIGINS)

    @property
    def nbytes(self) -> int:
        if self.kind is LeafKind.ABSTRACT:
            return 0
        return math.prod(self.shape) * DTYPES[self.dtype].itemsize

    @classmethod
    def of(cls, array: AnyArray, *, kind: LeafKind, weak: bool = False, impl: str | None = None) -> Leaf:
        """A leaf that carries `array`; ValueError if its dtype may not travel."""
        if array.dtype.name not in DTYPES:
            raise ValueError(f"arrays of dtype {array.dtype} cannot travel")
        return cls(kind=kind, dtype=array.dtype.name, shape=array.shape, array=array, weak=weak, impl=impl)


@dataclass(frozen=True, slots=True, kw_only=True)
class Message:
    """One request or answer. `data` is plain JSON; `leaves` are arrays; `blobs` opaque bytes."""

    kind: str
    data: Mapping[str, Any] = field(default_factory=dict)
    leaves: tuple[Leaf, ...] = ()
    blobs: tuple[bytes, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class FrameLimits:
    """Bounds on a frame that is read. Bytes, counts, and JSON nesting depth."""

    head_bytes: int = 4 << 20
    body_bytes: int = 256 << 20
    leaves: int = 4096
    blobs: int = 64
    rank: int = 32
    depth: int = 64


class ChannelClosed(Exception):
    """The peer is gone: end of file, or a broken pipe."""


class Channel:
    """A two-way stream of messages. Deadlines are kept from outside, by ending the peer's process."""

    def __init__(self, reader: BinaryIO, writer: BinaryIO, *, limits: FrameLimits | None = None) -> None:
        self._reader, self._writer = reader, writer
        self._limits = limits or FrameLimits()

    def send(self, message: Message) -> None:
        """Write one frame; ChannelClosed if nobody reads, TypeError or ValueError if it is no message."""
        parts = _encode(message)
        try:
            for part in parts:
                self._write(part)
            self._writer.flush()
        except (OSError, ValueError) as exc:
            raise ChannelClosed(str(exc)) from exc

    def receive(self) -> Message:
        """Read one frame; ChannelClosed at end of file, ProtocolViolation if it breaks a rule."""
        magic, head_size, body_size = _PREFIX.unpack(self._exactly(_PREFIX.size))
        if magic != MAGIC:
            raise ProtocolViolation("the peer's bytes are not a frame of the protocol")
        if head_size > self._limits.head_bytes or body_size > self._limits.body_bytes:
            raise ProtocolViolation(f"a frame of {head_size} + {body_size} bytes is over the limit")
        head = self._exactly(head_size)
        return _decode(head, self._exactly(body_size), self._limits)

    def close(self) -> None:
        """Close both directions; never raises."""
        for stream in (self._writer, self._reader):
            try:
                stream.close()
            except (OSError, ValueError):
                continue

    def _write(self, part: bytes) -> None:
        """All of `part`: an unbuffered stream may take it in pieces."""
        view = memoryview(part)
        while view:
            view = view[self._writer.write(view) :]

    def _exactly(self, size: int) -> bytearray:
        """So many bytes. Room is made as they come: what a peer only claims to send costs nothing."""
        data = bytearray()
        filled = 0
        while filled < size:
            if filled == len(data):
                data.extend(bytes(min(size - filled, max(filled, _PIECE))))
            with memoryview(data) as view:
                filled += self._some(view[filled:])
        return data

    def _some(self, room: memoryview) -> int:
        try:
            count: int = self._reader.readinto(room)  # type: ignore[attr-defined]
        except (OSError, ValueError) as exc:
            raise ChannelClosed(str(exc)) from exc
        if not count:
            raise ChannelClosed("end of file")
        return count


def _encode(message: Message) -> list[bytes]:
    body: list[bytes] = []
    described = []
    for leaf in message.leaves:
        described.append([leaf.kind.value, leaf.dtype, list(leaf.shape), leaf.weak, leaf.impl])
        if leaf.array is not None:
            body.append(np.ascontiguousarray(leaf.array).tobytes())
    body.extend(message.blobs)
    head = json.dumps(
        {
            "kind": message.kind,
            "data": message.data,
            "leaves": described,
            "blobs": [len(blob) for blob in message.blobs],
        },
        allow_nan=False,
        separators=(",", ":"),
    ).encode("ascii")
    return [_PREFIX.pack(MAGIC, len(head), sum(map(len, body))), head, *body]


def _decode(head: bytearray, body: bytearray, limits: FrameLimits) -> Message:
    try:
        fields = json.loads(head, parse_constant=_no_constants, parse_float=_finite)
        kind, data = fields["kind"], fields["data"]
        if not isinstance(kind, str) or not isinstance(data, dict):
            raise TypeError("kind or data of the wrong type")  # noqa: TRY301 - one exit for every malformed head
        _check_depth(data, limits.depth)
        leaves, offset = _leaves(fields["leaves"], body, limits)
        blobs = _blobs(fields["blobs"], body, offset, limits)
    except ProtocolViolation:
        raise
    except (ValueError, KeyError, TypeError, IndexError, RecursionError, OverflowError) as exc:
        raise ProtocolViolation(f"malformed frame: {type(exc).__name__}") from exc
    return Message(kind=kind, data=data, leaves=leaves, blobs=blobs)


def _no_constants(name: str) -> None:
    raise ValueError(f"{name} is not JSON")


def _finite(text: str) -> float:
    """``1e999`` is JSON, and infinity to Python: no peer has a use for it."""
    number = float(text)
    if not math.isfinite(number):
        raise ValueError("a number that is not finite")
    return number


def _check_depth(value: object, depth: int) -> None:
    if depth < 0:
        raise ProtocolViolation("a frame's head is nested too deeply")
    children = value.values() if isinstance(value, dict) else value if isinstance(value, list) else ()
    for child in children:
        _check_depth(child, depth - 1)


def _leaves(described: Any, body: bytearray, limits: FrameLimits) -> tuple[tuple[Leaf, ...], int]:  # noqa: ANN401
    if not isinstance(described, list) or len(described) > limits.leaves:
        raise ProtocolViolation("too many arrays in a frame")
    leaves, offset = [], 0
    for kind, dtype, shape, weak, impl in described:
        sizes = _shape(shape, limits)
        empty = Leaf(kind=LeafKind(kind), dtype=dtype, shape=sizes, weak=bool(weak), impl=_text(impl))
        if dtype not in DTYPES:
            raise ProtocolViolation("an array of a dtype that may not travel")
        if empty.kind is LeafKind.ABSTRACT:
            leaves.append(empty)
            continue
        end = offset + empty.nbytes
        if end > len(body):
            raise ProtocolViolation("an array is longer than its frame")
        array = _array(body, dtype, sizes, offset)
        offset = end
        leaves.append(Leaf.of(array, kind=empty.kind, weak=empty.weak, impl=empty.impl))
    return tuple(leaves), offset


def _array(body: bytearray, dtype: str, sizes: tuple[int, ...], offset: int) -> AnyArray:
    array = np.frombuffer(body, DTYPES[dtype], math.prod(sizes), offset)
    if dtype == "bool":
        array = array.view(np.uint8) != 0  # no other byte may pass for a bool: it would equal True and not
    return array.reshape(sizes)


def _shape(shape: Any, limits: FrameLimits) -> tuple[int, ...]:  # noqa: ANN401
    if not isinstance(shape, list) or len(shape) > limits.rank:
        raise ProtocolViolation("an array of too many dimensions")
    if not all(type(size) is int and 0 <= size <= limits.body_bytes for size in shape):
        raise ProtocolViolation("an array with an impossible size")
    return tuple(shape)


def _text(value: Any) -> str | None:  # noqa: ANN401
    if value is None or (isinstance(value, str) and len(value) <= 64):  # noqa: PLR2004 - a name, not a text
        return value
    raise ProtocolViolation("a name that is not one")


def _blobs(sizes: Any, body: bytearray, offset: int, limits: FrameLimits) -> tuple[bytes, ...]:  # noqa: ANN401
    if not isinstance(sizes, list) or len(sizes) > limits.blobs:
        raise ProtocolViolation("too many blobs in a frame")
    blobs = []
    for size in sizes:
        if type(size) is not int or size < 0 or offset + size > len(body):
            raise ProtocolViolation("a blob is longer than its frame")
        blobs.append(bytes(body[offset : offset + size]))
        offset += size
    if offset != len(body):
        raise ProtocolViolation("a frame with bytes that nothing describes")
    return tuple(blobs)
