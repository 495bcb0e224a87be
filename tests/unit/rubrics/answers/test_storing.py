"""A file of answers is read within limits, and what was tampered with is refused before it is used."""

from __future__ import annotations

import io
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from grader.domain.errors import ProtocolViolation
from grader.engine.protocol import Channel, Leaf, LeafKind, Message
from rubrics.answers.storing import RecordedAnswers, read, write
from rubrics.comparing import Result
from rubrics.landmarks import Landmarks

ARRAY = np.arange(6, dtype=np.float32).reshape(2, 3)
RESULT = Result(structure={"t": "leaf", "i": 0}, leaves=(Leaf.of(ARRAY, kind=LeafKind.JAX),))
WHOLE = write(
    RecordedAnswers(
        made_with="NumPy 0 and JAX 0",
        functions={"submission.py:f": ("x",)},
        answers={"a": RESULT, "b": Landmarks.of([ARRAY]), "c": None},
    )
)
WELL_FORMED = {"format": 1, "made_with": "it", "functions": {}, "answers": {}}


def forged(kind: str = "answers", **changes: Any) -> bytes:  # noqa: ANN401 - anything
    stream = io.BytesIO()
    leaf = Leaf.of(ARRAY, kind=LeafKind.NUMPY)
    Channel(io.BytesIO(), stream).send(Message(kind=kind, data=WELL_FORMED | changes, leaves=(leaf,)))
    return stream.getvalue()


def test_what_is_written_can_be_read():
    found = read(WHOLE)
    assert found.made_with == "NumPy 0 and JAX 0"
    assert found.functions == {"submission.py:f": ("x",)}
    assert found.answers.keys() == {"a", "b", "c"}


@pytest.mark.parametrize(
    "data",
    [
        b"",
        b"PK\x03\x04",
        WHOLE[:-1],
        WHOLE[:40],
        forged("grade"),
        forged(format=2),
        forged(made_with=3),
        forged(made_with="x" * 1000),
        forged(functions=[]),
        forged(functions={"f": [1]}),
        forged(answers=[]),
        forged(answers={"q": None}),
        forged(answers={"q": {"result": {"t": "leaf", "i": 5}, "first": 0, "count": 1}}),
        forged(answers={"q": {"result": {"t": "leaf", "i": 0}, "first": 0, "count": 9}}),
        forged(answers={"q": {"result": {"t": "leaf", "i": 0}, "first": -1, "count": 1}}),
        forged(answers={"q": {"result": {"t": "leaf", "i": 0}, "first": 0, "count": True}}),
        forged(answers={"q": {"result": {"t": "leaf"}, "first": 0, "count": 1}}),
        forged(answers={"q": {"landmarks": [[2, 3]], "first": 0}}),
        forged(answers={"q": {"landmarks": [["2"]], "first": 0}}),
        forged(answers={"q": {"landmarks": [[2]], "first": 7}}),
    ],
)
def test_what_is_no_file_of_answers_is_refused(data: bytes):
    with pytest.raises(ProtocolViolation):
        read(data)


def test_a_claimed_size_takes_no_memory():
    huge = forged().replace(b"[2,3]", b"[2,9]", 1)
    assert huge != forged()
    with pytest.raises(ProtocolViolation):
        read(huge)


@given(st.integers(0, len(WHOLE) - 1), st.integers(1, 255))
def test_any_changed_byte_leaves_answers_or_a_refusal(position: int, change: int):
    data = bytearray(WHOLE)
    data[position] ^= change
    try:
        found = read(bytes(data))
    except ProtocolViolation:
        return
    assert len(found.answers) <= 3
