"""The examiner's side of the bench: one typed function per request, over any channel.

Every call raises `ProgramRefused` if the bench will not run the program, `ProgramFailed` if it was
accepted but gave no answer, `BenchFault` if the bench or its caller is at fault, and `ChannelClosed` if
it died: then the caller restarts it, and asks again for ``How.COMPILE`` where the interpreter may have
been the cause.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict
from typing import Protocol

from grader.domain.errors import BenchFault, ProgramFailed, ProgramRefused, ProtocolViolation
from grader.engine.bench.answers import Evaluation, How, ProgramFacts, SpreadEvaluation, Trouble
from grader.engine.bench.keyfindings import KeyLog
from grader.engine.bench.raceresult import RaceResult
from grader.engine.layouts import Layout, Placement, as_json
from grader.engine.protocol import Leaf, Message
from grader.engine.statistics import RaceRule

InputSet = Sequence[Leaf]
"""Flat inputs of one call. Typed keys travel as uint32 words of kind ``LeafKind.KEY``."""


class Line(Protocol):
    """What a channel must be able to do."""

    def send(self, message: Message) -> None: ...
    def receive(self) -> Message: ...


def inspect(line: Line, program: bytes) -> ProgramFacts:
    """Verify a program and read its facts, without running it."""
    return ProgramFacts.read(_ask(line, Message(kind="inspect", blobs=(program,))).data)


def evaluate(line: Line, program: bytes, sets: Sequence[InputSet], *, how: How = How.AUTO) -> Evaluation:
    """Outputs of `program` for each input set; one compilation at most serves them all."""
    answer = _ask(
        line,
        Message(
            kind="evaluate",
            data={"how": how.value, "sets": [len(inputs) for inputs in sets]},
            leaves=tuple(leaf for inputs in sets for leaf in inputs),
            blobs=(program,),
        ),
    )
    width = answer.data["width"]
    if len(answer.leaves) != width * len(sets):
        raise ProtocolViolation("the bench answered with another number of arrays than it announced")
    outputs = tuple(answer.leaves[row * width : (row + 1) * width] for row in range(len(sets)))
    return Evaluation(outputs=outputs, how=How(answer.data["how"]), cost=answer.data["cost"])


def evaluate_spread(
    line: Line, program: bytes, inputs: InputSet, layouts: Sequence[Layout | None]
) -> SpreadEvaluation:
    """Outputs of a `program` made for several devices, and where each of them lies."""
    data = {"layouts": as_json(layouts)}
    request = Message(kind="evaluate_spread", data=data, leaves=tuple(inputs), blobs=(program,))
    answer = _ask(line, request)
    places = tuple(Placement.read(place) for place in answer.data["places"])
    if len(places) != len(answer.leaves):
        raise ProtocolViolation("the bench told of another number of places than of arrays")
    return SpreadEvaluation(
        outputs=answer.leaves, places=places, devices=answer.data["devices"], cost=answer.data["cost"]
    )


def key_log(
    line: Line, program: bytes, inputs: InputSet, *, key_inputs: Sequence[int], key_outputs: Sequence[int]
) -> KeyLog:
    """Which keys one run used and which of them wrongly. Positions are flat; keys may be typed or raw."""
    data = {"key_inputs": list(key_inputs), "key_outputs": list(key_outputs)}
    request = Message(kind="key_log", data=data, leaves=tuple(inputs), blobs=(program,))
    return KeyLog.read(_ask(line, request).data)


def race(
    line: Line,
    lanes: Mapping[str, bytes],
    sets: Sequence[InputSet],
    *,
    at_least: float,
    rule: RaceRule | None = None,
) -> RaceResult:
    """Time ``lanes["submission"]`` against ``lanes["rival"]``, others running along, all on the same inputs.

    The race stops once it is clear whether the rival takes `at_least` times as long; ask the result's
    `decision`.
    """
    settings = asdict(rule or RaceRule())
    answer = _ask(
        line,
        Message(
            kind="race",
            data={
                "names": list(lanes),
                "sets": [len(inputs) for inputs in sets],
                "at_least": at_least,
                "rule": settings,
            },
            leaves=tuple(leaf for inputs in sets for leaf in inputs),
            blobs=tuple(lanes.values()),
        ),
    )
    widths: Mapping[str, int] = answer.data["widths"]
    if sum(widths.values()) != len(answer.leaves) or widths.keys() != lanes.keys():
        raise ProtocolViolation("the bench answered with another number of arrays than it announced")
    outputs, begin = {}, 0
    for name, width in widths.items():
        outputs[name] = answer.leaves[begin : begin + width]
        begin += width
    return RaceResult.read(answer.data["result"], outputs)


def _ask(line: Line, request: Message) -> Message:
    """One request and its answer; an answer of kind ``error`` is raised."""
    line.send(request)
    answer = line.receive()
    if answer.kind == request.kind:
        return answer
    if answer.kind != "error":
        raise ProtocolViolation(f"the bench answered {answer.kind!r} to {request.kind!r}")
    code, detail = str(answer.data["code"]), str(answer.data["detail"])
    if answer.data["refused"]:
        raise ProgramRefused(code, detail)
    if code in (Trouble.INTERNAL, Trouble.BAD_INPUTS):
        raise BenchFault(code, detail)
    raise ProgramFailed(code, detail)
