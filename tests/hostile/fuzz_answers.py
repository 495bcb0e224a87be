"""Fuzzed answers: frames that a candidate might send, read by a real session from a real pipe."""

from __future__ import annotations

import io
import json
import os
import random
import struct
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any, cast

import numpy as np

from grader.domain.errors import ProtocolViolation
from grader.engine import trees
from grader.engine.policy import BoxPolicy, End, EndKind
from grader.engine.protocol import MAGIC, Channel, Leaf, LeafKind, Message
from grader.engine.session import EagerCall, LoadFailed, Session, SubmissionEnded, SubmissionRaised
from rubrics.comparing import Result, Tolerance, difference
from tests.hostile.fuzz_mutations import damaged, flipped, warped
from tests.hostile.fuzz_tally import Became
from tests.unit.engine import scripted

_PREFIX = struct.Struct("<4sIQ")
_PIPE_ROOM = 60_000
"""A pipe takes so much before anybody reads."""

_ARRAY = np.arange(6, dtype=np.float32).reshape(2, 3)
_POINT: trees.Node = {
    "t": "namedtuple",
    "n": "Point",
    "k": ["x", "y"],
    "c": [{"t": "leaf", "i": 0}, {"t": "dict", "k": [["str", "w"]], "c": [{"t": "const", "v": 3}]}],
}
_LEAVES = (
    Leaf.of(_ARRAY, kind=LeafKind.JAX),
    Leaf.of(_ARRAY > 2, kind=LeafKind.NUMPY),
    Leaf.of(np.array([1, 2], np.uint32), kind=LeafKind.KEY, impl="threefry2x32"),
    Leaf.of(np.array(3.0), kind=LeafKind.SCALAR),
)
_EXPECTED = (
    Result(structure=_POINT, leaves=_LEAVES),
    Result(structure={"t": "leaf", "i": 0}, leaves=_LEAVES),
    Result(structure={"t": "tuple", "c": [{"t": "leaf", "i": i} for i in range(4)]}, leaves=_LEAVES),
)
_INPUTS_AFTER = {
    "containers": scripted.CONTAINERS, "changed": [], "deleted": [], "aliases": [], "kept": False,
}  # fmt: skip


def _called(expected: Result) -> Message:
    count = 1 + max(trees.leaf_paths(expected.structure))
    data = {"structure": expected.structure, "inputs": _INPUTS_AFTER, "seen": scripted.SEEN, "cpu_s": 0.5}
    return Message(kind="called", data=data, leaves=tuple(expected.leaves[:count]))


def _followed() -> Message:
    words = Leaf.of(np.arange(8, dtype=np.uint32).reshape(4, 2), kind=LeafKind.NUMPY)
    call = {"purpose": "draw", "last_axis": 2, "file": "a.py", "line": 3, "function": "f"}
    data = {"structure": _POINT, "results": 1, "calls": [call], "seen": scripted.SEEN, "cpu_s": 0.5}
    return Message(kind="followed", data=data, leaves=(_LEAVES[0], words, words))


@dataclass(frozen=True, slots=True, kw_only=True)
class _Frame:
    """A frame in its parts."""

    head: Any
    body: bytes

    @classmethod
    def of(cls, message: Message) -> _Frame:
        data = _sent(message)
        _, head_size, _ = _PREFIX.unpack_from(data)
        split = _PREFIX.size + head_size
        return cls(head=json.loads(data[_PREFIX.size : split]), body=data[split:])

    def assembled(self) -> bytes:
        head = json.dumps(self.head).encode()
        return _PREFIX.pack(MAGIC, len(head), len(self.body)) + head + self.body


def _sent(message: Message) -> bytes:
    sink = io.BytesIO()
    Channel(io.BytesIO(), sink).send(message)
    return sink.getvalue()


_Ask = Callable[[Session], Any]
_QUESTIONS: Mapping[str, _Ask] = {
    "load": lambda session: session.loaded(),
    "export": lambda session: session.traced("f", scripted.INPUTS),
    "direct": lambda session: session.direct("f", scripted.INPUTS, fingerprint=True),
    "eager": lambda session: session.eager("f", scripted.INPUTS),
    "followed": lambda session: session.followed("f", scripted.INPUTS),
}
_ANSWERS: Mapping[str, tuple[Message, ...]] = {
    "load": (scripted.loaded(), scripted.raised()),
    "export": (scripted.traced(), scripted.raised("MemoryError")),
    "direct": (scripted.traced(inputs=_INPUTS_AFTER),),
    "eager": (*map(_called, _EXPECTED), scripted.raised()),
    "followed": (_followed(),),
}
_FRAMES = {kind: tuple(map(_Frame.of, answers)) for kind, answers in _ANSWERS.items()}
_BYTES = tuple(frame.assembled() for frames in _FRAMES.values() for frame in frames)
_LOADED = _sent(scripted.loaded())


def attempt(rng: random.Random) -> Became:
    """Put one question and read a damaged answer; only what a session may raise may come out."""
    question = rng.choice(tuple(_QUESTIONS))
    answer = _damaged_answer(rng, rng.choice(_FRAMES[question]))
    with _piped((b"" if question == "load" else _LOADED) + answer) as session:
        try:
            call = _QUESTIONS[question](session)
        except (SubmissionEnded, LoadFailed, SubmissionRaised) as exc:
            text = str(exc)
            text.encode()
            return Became.REFUSED
        json.dumps([session.notices(), session.printed(), dict(session.cost)], allow_nan=False).encode()
    if isinstance(call, EagerCall):
        _compare(call)
    return Became.ACCEPTED


def _damaged_answer(rng: random.Random, frame: _Frame) -> bytes:
    match rng.randrange(8):
        case 0:
            return rng.randbytes(rng.choice((0, 3, 16, 200)))
        case 1 | 2:
            return damaged(rng, frame.assembled(), _BYTES)
        case 3:
            return _Frame(head=frame.head, body=flipped(rng, frame.body)).assembled()
        case 4:
            text = damaged(rng, json.dumps(frame.head).encode(), _BYTES)
            return _PREFIX.pack(MAGIC, len(text), len(frame.body)) + text + frame.body
        case _:
            return _Frame(head=warped(rng, frame.head), body=frame.body).assembled()


def _compare(call: EagerCall) -> None:
    """Compare what was read with all that might be expected: the verdict must be fit to be sent on."""
    actual = Result(structure=call.structure, leaves=call.leaves)
    trees.leaf_paths(call.structure)
    for expected in _EXPECTED:
        found = difference(actual, expected, tolerance=Tolerance())
        if found is not None:
            facts = [dict(found.params), *(dict(evidence.data) for evidence in found.evidence)]
            json.dumps(facts, allow_nan=False).encode()


@contextmanager
def _piped(data: bytes) -> Iterator[Session]:
    """A session whose candidate has written `data` into a pipe, and is gone."""
    reading, writing = os.pipe()
    with os.fdopen(reading, "rb", buffering=0) as reader:
        with os.fdopen(writing, "wb", buffering=0) as writer:
            writer.write(data[:_PIPE_ROOM])
        channel = Channel(cast("Any", reader), io.BytesIO())
        yield scripted.session(_Launcher(channel))


class _Box(scripted.ScriptedBox):
    """A box with a channel of bytes, which it leaves behind."""

    def __init__(self, policy: BoxPolicy, channel: Channel) -> None:
        super().__init__(policy, lambda _: ProtocolViolation("not asked"), b"")
        self.channel = channel
        self.end = End(kind=EndKind.EXITED)


class _Launcher(scripted.ScriptedLauncher):
    def __init__(self, channel: Channel) -> None:
        super().__init__(lambda _: ProtocolViolation("not asked"))
        self._channel = channel

    def start(self, policy: BoxPolicy) -> scripted.ScriptedBox:
        self.started.append(_Box(policy, self._channel))
        return self.started[-1]
