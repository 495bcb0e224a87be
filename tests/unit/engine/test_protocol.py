"""Frames arrive as they were sent, and whatever is no frame is refused before anything in it is used."""

from __future__ import annotations

import io
import json
import os
import struct
import tracemalloc
from typing import Any, BinaryIO, cast

import ml_dtypes
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from grader.domain.errors import ProtocolViolation
from grader.engine.protocol import (
    DTYPES,
    MAGIC,
    Channel,
    ChannelClosed,
    FrameLimits,
    Leaf,
    LeafKind,
    Message,
)

_PREFIX = struct.Struct("<4sIQ")


def frame(message: Message) -> bytes:
    written = io.BytesIO()
    Channel(io.BytesIO(), written).send(message)
    return written.getvalue()


def read(data: bytes, limits: FrameLimits | None = None) -> Message:
    return Channel(io.BytesIO(data), io.BytesIO(), limits=limits).receive()


def raw(head: object, body: bytes = b"") -> bytes:
    """A frame with any head: text as it is, everything else as JSON."""
    text = head if isinstance(head, bytes) else json.dumps(head).encode()
    return _PREFIX.pack(MAGIC, len(text), len(body)) + text + body


def head(**fields: object) -> dict[str, object]:
    return {"kind": "x", "data": {}, "leaves": [], "blobs": [], **fields}


plain = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text(),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(), inner, max_size=4),
    max_leaves=20,
)


@st.composite
def leaves(draw: st.DrawFn) -> Leaf:
    name = draw(st.sampled_from(sorted(DTYPES)))
    shape = tuple(draw(st.lists(st.integers(0, 4), max_size=3)))
    kind = draw(st.sampled_from(LeafKind))
    weak, impl = draw(st.booleans()), draw(st.none() | st.just("threefry2x32"))
    if kind is LeafKind.ABSTRACT:
        return Leaf(kind=kind, dtype=name, shape=shape, weak=weak, impl=impl)
    values = np.asarray(draw(st.lists(st.integers(0, 1), min_size=64, max_size=64)))
    array = np.resize(values, shape).astype(DTYPES[name])
    return Leaf.of(array, kind=kind, weak=weak, impl=impl)


@given(
    kind=st.text(),
    data=st.dictionaries(st.text(), plain, max_size=4),
    arrays=st.lists(leaves(), max_size=4),
    blobs=st.lists(st.binary(max_size=50), max_size=3),
)
def test_a_message_arrives_as_it_was_sent(
    kind: str, data: dict[str, Any], arrays: list[Leaf], blobs: list[bytes]
):
    sent = Message(kind=kind, data=data, leaves=tuple(arrays), blobs=tuple(blobs))
    got = read(frame(sent))
    assert (got.kind, got.data, got.blobs) == (sent.kind, sent.data, sent.blobs)
    for mine, theirs in zip(got.leaves, sent.leaves, strict=True):
        assert (mine.kind, mine.dtype, mine.shape, mine.weak, mine.impl) == (
            theirs.kind, theirs.dtype, theirs.shape, theirs.weak, theirs.impl,
        )  # fmt: skip
        if theirs.array is None:
            assert mine.array is None
        else:
            assert mine.array is not None
            assert mine.array.tobytes() == theirs.array.tobytes()


@given(st.binary(max_size=200))
def test_random_bytes_are_refused_and_nothing_else_happens(data: bytes):
    with pytest.raises((ProtocolViolation, ChannelClosed)):
        read(data)


@given(st.binary(max_size=200), st.binary(max_size=64))
def test_a_random_head_is_refused_and_nothing_else_happens(text: bytes, body: bytes):
    with pytest.raises((ProtocolViolation, ChannelClosed)):
        read(raw(text, body))


@given(st.dictionaries(st.sampled_from(["kind", "data", "leaves", "blobs"]), plain), st.binary(max_size=16))
def test_a_head_of_random_json_is_a_message_or_refused(fields: dict[str, object], body: bytes):
    try:
        got = read(raw(fields, body))
    except ProtocolViolation:
        return
    assert isinstance(got.kind, str)
    assert isinstance(got.data, dict)


@given(st.lists(st.tuples(*[plain] * 5), max_size=3), st.binary(max_size=32))
def test_arrays_of_a_random_description_are_arrays_or_refused(described: list[object], body: bytes):
    try:
        got = read(raw(head(leaves=described), body))
    except ProtocolViolation:
        return
    assert sum(leaf.nbytes for leaf in got.leaves) == len(body)


@given(st.integers(0, 400), st.integers(0, 255))
def test_one_changed_byte_gives_a_message_or_a_refusal(position: int, value: int):
    good = frame(
        Message(
            kind="export",
            data={"structure": {"t": "leaf", "i": 0}},
            leaves=(Leaf.of(np.arange(6, dtype=np.float32), kind=LeafKind.JAX),),
            blobs=(b"program",),
        )
    )
    data = bytearray(good)
    data[position % len(good)] = value
    try:
        read(bytes(data))
    except (ProtocolViolation, ChannelClosed):
        return


@pytest.mark.parametrize("cut", [0, 1, 15, 16, 20, -1])
def test_a_frame_that_breaks_off_is_a_closed_channel(cut: int):
    with pytest.raises(ChannelClosed):
        read(frame(Message(kind="x", blobs=(b"abc",)))[:cut])


def test_other_bytes_than_a_frame_are_refused():
    with pytest.raises(ProtocolViolation, match="not a frame"):
        read(b"GET / HTTP/1.1\r\n\r\n")


def test_room_is_made_for_what_comes_and_not_for_what_is_claimed():
    claimed = _PREFIX.pack(MAGIC, 2, FrameLimits().body_bytes) + b"{}" + b"x" * 1000
    tracemalloc.start()
    try:
        with pytest.raises(ChannelClosed):
            read(claimed)
        _, peak = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert peak < FrameLimits().body_bytes / 16


def test_a_large_frame_that_comes_in_small_pieces_is_whole():
    class Trickle(io.BytesIO):
        def readinto(self, room: memoryview) -> int:  # type: ignore[override] - as a channel calls it
            return super().readinto(room[:70_001])

    blob = os.urandom(5_000_003)
    received = Channel(Trickle(frame(Message(kind="x", blobs=(blob,)))), io.BytesIO()).receive()
    assert received.blobs == (blob,)


@pytest.mark.parametrize(
    "limits", [FrameLimits(head_bytes=10), FrameLimits(body_bytes=2)], ids=["head", "body"]
)
def test_a_frame_over_the_limit_is_refused_before_it_is_read(limits: FrameLimits):
    data = frame(Message(kind="x", blobs=(b"abc",)))
    with pytest.raises(ProtocolViolation, match="over the limit"):
        read(data[: _PREFIX.size], limits)


def test_too_many_arrays_are_refused():
    one = ["abstract", "float32", [], False, None]
    assert len(read(raw(head(leaves=[one] * 3)), FrameLimits(leaves=3)).leaves) == 3
    with pytest.raises(ProtocolViolation, match="too many arrays"):
        read(raw(head(leaves=[one] * 4)), FrameLimits(leaves=3))


def test_too_many_blobs_are_refused():
    with pytest.raises(ProtocolViolation, match="too many blobs"):
        read(raw(head(blobs=[0] * 4)), FrameLimits(blobs=3))


def test_too_many_dimensions_are_refused():
    described = [["abstract", "float32", [1] * 33, False, None]]
    with pytest.raises(ProtocolViolation, match="too many dimensions"):
        read(raw(head(leaves=described)))


def test_deep_data_is_refused():
    data: dict[str, object] = {}
    for _ in range(65):
        data = {"deeper": data}
    with pytest.raises(ProtocolViolation, match="too deeply"):
        read(raw(head(data=data)))


def test_data_too_deep_for_the_parser_is_refused():
    with pytest.raises(ProtocolViolation):
        read(raw(b'{"data":' * 100_000))


@pytest.mark.parametrize("number", [b"NaN", b"Infinity", b"-Infinity", b"1e999"])
def test_numbers_that_are_not_finite_are_refused(number: bytes):
    text = b'{"kind":"x","data":{"n":%s},"leaves":[],"blobs":[]}' % number
    with pytest.raises(ProtocolViolation):
        read(raw(text))


@pytest.mark.parametrize("size", [-1, 1.0, True, "2", None, 1 << 60])
def test_impossible_sizes_are_refused(size: object):
    with pytest.raises(ProtocolViolation):
        read(raw(head(leaves=[["jax", "float32", [size], False, None]]), b"\0" * 8))


def test_an_array_longer_than_its_frame_is_refused():
    with pytest.raises(ProtocolViolation, match="longer than its frame"):
        read(raw(head(leaves=[["jax", "float32", [3], False, None]]), b"\0" * 8))


def test_bytes_that_nothing_describes_are_refused():
    with pytest.raises(ProtocolViolation, match="nothing describes"):
        read(raw(head(), b"stowaway"))


@pytest.mark.parametrize("dtype", ["object", "str", "O", "datetime64", "<f4,<f4", ["float32"]])
def test_dtypes_that_may_not_travel_are_refused(dtype: object):
    with pytest.raises(ProtocolViolation):
        read(raw(head(leaves=[["jax", dtype, [0], False, None]])))


def test_a_name_that_is_a_novel_is_refused():
    with pytest.raises(ProtocolViolation, match="name"):
        read(raw(head(leaves=[["key", "uint32", [2], False, "k" * 65]]), b"\0" * 8))


def test_a_bool_is_true_or_false_whatever_its_byte_was():
    (leaf,) = read(raw(head(leaves=[["numpy", "bool", [3], False, None]]), b"\0\1\2")).leaves
    assert leaf.array is not None
    assert leaf.array.view(np.uint8).tolist() == [0, 1, 1]


def test_an_array_of_objects_cannot_be_sent():
    with pytest.raises(ValueError, match="cannot travel"):
        Leaf.of(np.array([object()]), kind=LeafKind.NUMPY)


def test_what_is_no_json_is_the_senders_own_error_not_a_closed_channel():
    with pytest.raises(ValueError, match="JSON"):
        frame(Message(kind="x", data={"n": float("nan")}))
    with pytest.raises(TypeError):
        frame(Message(kind="x", data={"n": object()}))


def test_small_floats_and_integers_travel_as_jax_has_them():
    array = np.asarray([1, -2, 3], ml_dtypes.bfloat16)
    (leaf,) = read(frame(Message(kind="x", leaves=(Leaf.of(array, kind=LeafKind.JAX),)))).leaves
    assert leaf.array is not None
    assert leaf.array.dtype == ml_dtypes.bfloat16
    assert leaf.array.tolist() == [1, -2, 3]


class Dribbling(io.RawIOBase):
    """An unbuffered stream that takes seven bytes at a time."""

    def __init__(self) -> None:
        self.taken = b""

    def writable(self) -> bool:
        return True

    def write(self, data: Any, /) -> int:  # noqa: ANN401 - any buffer
        part = bytes(data[:7])
        self.taken += part
        return len(part)


def test_a_stream_that_takes_pieces_gets_all_of_a_frame():
    stream = Dribbling()
    message = Message(kind="x", blobs=(b"a program of some length",))
    Channel(io.BytesIO(), cast("BinaryIO", stream)).send(message)
    assert stream.taken == frame(message)


def test_sending_to_nobody_is_a_closed_channel():
    reading, writing = os.pipe()
    os.close(reading)
    with os.fdopen(writing, "wb", buffering=0) as stream, pytest.raises(ChannelClosed):
        Channel(io.BytesIO(), cast("BinaryIO", stream)).send(Message(kind="x", blobs=(b"x" * 100_000,)))


def test_a_channel_that_was_closed_says_so_and_may_be_closed_again():
    channel = Channel(io.BytesIO(), io.BytesIO())
    channel.close()
    channel.close()
    with pytest.raises(ChannelClosed):
        channel.receive()
    with pytest.raises(ChannelClosed):
        channel.send(Message(kind="x"))


@pytest.mark.parametrize(
    "leaf, is_key",
    [
        (Leaf(kind=LeafKind.ABSTRACT, dtype="uint32", shape=(2,), impl="threefry2x32"), True),
        (Leaf(kind=LeafKind.ABSTRACT, dtype="float32", shape=(2,), impl="numpy"), False),
        (Leaf(kind=LeafKind.ABSTRACT, dtype="float32", shape=(2,)), False),
        (Leaf.of(np.zeros(2, np.uint32), kind=LeafKind.KEY, impl="rbg"), True),
    ],
)
def test_keys_are_told_from_arrays(leaf: Leaf, is_key: bool):  # noqa: FBT001 - a parameter of the test
    assert leaf.impl_is_key is is_key
