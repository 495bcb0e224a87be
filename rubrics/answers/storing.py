"""Recorded answers as a file: one frame of the engine's protocol, with no code in it.

Whoever downloads it may have changed it. It is read within limits and checked before anything in it is used;
a file that was changed cleverly misleads nobody but its reader.
"""

from __future__ import annotations

import io
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from grader.domain.errors import ProtocolViolation
from grader.engine import trees
from grader.engine.protocol import Channel, ChannelClosed, FrameLimits, Leaf, LeafKind, Message
from rubrics.comparing import Result
from rubrics.landmarks import SKETCH, Landmarks

FORMAT = 1
LIMITS = FrameLimits(head_bytes=32 << 20, body_bytes=64 << 20, leaves=1 << 17, blobs=0)
_KIND = "answers"
_LONGEST_NAME = 200

Answer = Result | Landmarks | None
"""None: there are no landmarks, since the function cannot be traced."""


@dataclass(frozen=True, slots=True, kw_only=True)
class RecordedAnswers:
    """Answers by question, the parameters of functions by name, and with which versions they were made."""

    made_with: str
    functions: Mapping[str, tuple[str, ...]]
    answers: Mapping[str, Answer]


def write(recorded: RecordedAnswers) -> bytes:
    """The file."""
    leaves: list[Leaf] = []
    answers = {question: _described(answer, leaves) for question, answer in recorded.answers.items()}
    head = {
        "format": FORMAT,
        "made_with": recorded.made_with,
        "functions": {name: list(parameters) for name, parameters in recorded.functions.items()},
        "answers": answers,
    }
    stream = io.BytesIO()
    Channel(io.BytesIO(), stream).send(Message(kind=_KIND, data=head, leaves=tuple(leaves)))
    return stream.getvalue()


def read(data: bytes) -> RecordedAnswers:
    """The answers in a file; ProtocolViolation if it is none, or over the limits."""
    try:
        message = Channel(io.BytesIO(data), io.BytesIO(), limits=LIMITS).receive()
        return _read(message)
    except ChannelClosed as exc:
        raise ProtocolViolation("it ends too early") from exc
    except (KeyError, TypeError, ValueError, AttributeError, IndexError, RecursionError) as exc:
        raise ProtocolViolation(f"{type(exc).__name__} while reading it") from exc


def _read(message: Message) -> RecordedAnswers:
    head = message.data
    if message.kind != _KIND or head["format"] != FORMAT:
        raise ProtocolViolation("it is of another kind, or of a newer release")
    return RecordedAnswers(
        made_with=_name(head["made_with"]),
        functions={name: tuple(map(_name, names)) for name, names in head["functions"].items()},
        answers={
            question: _answer(described, message.leaves) for question, described in head["answers"].items()
        },
    )


def _described(answer: Answer, leaves: list[Leaf]) -> dict[str, Any]:
    first = len(leaves)
    if answer is None:
        return {"landmarks": None}
    if isinstance(answer, Landmarks):
        leaves.append(Leaf.of(answer.sketches, kind=LeafKind.NUMPY))
        return {"landmarks": [list(shape) for shape in answer.shapes], "first": first}
    leaves.extend(answer.leaves)
    return {"result": answer.structure, "first": first, "count": len(answer.leaves)}


def _answer(described: Mapping[str, Any], leaves: tuple[Leaf, ...]) -> Answer:
    if "result" in described:
        first, count = _position(described["first"]), _position(described["count"])
        mine = leaves[first : first + count]
        if len(mine) != count:
            raise ValueError("an answer without its arrays")
        return Result(structure=trees.checked(described["result"], count), leaves=mine)
    if described["landmarks"] is None:
        return None
    shapes = tuple(tuple(map(_position, shape)) for shape in described["landmarks"])
    sketches = leaves[_position(described["first"])].array
    if sketches is None or sketches.dtype != np.float64 or sketches.shape != (len(shapes), SKETCH):
        raise ValueError("landmarks of another form")
    return Landmarks(shapes=shapes, sketches=sketches)


def _position(value: object) -> int:
    if type(value) is not int or value < 0:
        raise ValueError("not a position")
    return value


def _name(value: object) -> str:
    if not isinstance(value, str) or len(value) > _LONGEST_NAME:
        raise ValueError("not a name")
    return value
