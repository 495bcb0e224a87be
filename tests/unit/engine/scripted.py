"""Boxes that answer as a script says, for tests of the session without processes."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np

from grader.domain.rubric import Assignment, FunctionSpec, Limits
from grader.domain.submission import SourceFile, SubmittedFiles
from grader.engine.policy import BoxPolicy, End, EndKind
from grader.engine.protocol import Channel, ChannelClosed, Leaf, LeafKind, Message
from grader.engine.session import CallInputs, Session

Answering = Callable[[Message], "Message | End | BaseException"]
"""An answer; an End where the box dies of it; an exception that the channel raises."""

SEEN: dict[str, Any] = {
    "output": "", "output_bytes": 0, "events": [], "state": [], "process": [], "traced": {},
}  # fmt: skip
CONTAINERS = {"structure": {"t": "leaf", "i": 0}, "order": [0]}
FOUND = {"callable": True, "line": 1, "parameters": [["x", "POSITIONAL_OR_KEYWORD", False]]}
INPUTS = CallInputs(
    structure={
        "t": "tuple",
        "c": [{"t": "tuple", "c": [{"t": "leaf", "i": 0}]}, {"t": "dict", "k": [], "c": []}],
    },
    leaves=(Leaf.of(np.ones(2, np.float32), kind=LeafKind.JAX),),
)


def loaded(**changes: object) -> Message:
    data = {"functions": {"f": FOUND}, "stand_ins": [], "seen": SEEN, "cpu_s": 0.25}
    return Message(kind="loaded", data={**data, **changes})


def traced(*, blobs: tuple[bytes, ...] = (b"program",), **changes: object) -> Message:
    leaf = Leaf(kind=LeafKind.ABSTRACT, dtype="float32", shape=(2,))
    data = {
        "structure": {"t": "leaf", "i": 0}, "fingerprint": "", "callbacks": [], "discarded": [],
        "effects": [], "donates": False, "hands_back": False, "inputs": None, "seen": SEEN, "cpu_s": 0.5,
    }  # fmt: skip
    return Message(kind="traced", data={**data, **changes}, leaves=(leaf,), blobs=blobs)


def raised(kind: str = "ValueError", **changes: object) -> Message:
    error = {
        "type": kind, "bases": [kind, "Exception"], "causes": [], "text": "no", "name": "",
        "frames": [{"file": "a.py", "line": 3, "function": "f"}], **changes,
    }  # fmt: skip
    return Message(kind="error", data={"error": error, "seen": SEEN})


class ScriptedBox:
    """Dies with the End that its script answers, and otherwise says what it says."""

    pid = 1

    def __init__(self, policy: BoxPolicy, answering: Answering, said: bytes) -> None:
        self.policy, self._answering, self._said = policy, answering, said
        self.requests: list[Message] = []
        self.limits: list[float] = []
        self.in_line = 0.0
        self.end: End | None = None
        self.closed = False
        self.channel: Channel = self  # type: ignore[assignment] - it is one, as far as a session cares

    def send(self, message: Message) -> None:
        if self.closed or self.end is not None:
            raise ChannelClosed("gone")
        self.requests.append(message)

    def receive(self) -> Message:
        answer = self._answering(self.requests[-1])
        if isinstance(answer, End):
            self.end = answer
            raise ChannelClosed("end of file")
        if isinstance(answer, BaseException):
            raise answer
        return answer

    @contextmanager
    def deadline(self, seconds: float) -> Iterator[None]:
        self.limits.append(seconds)
        yield

    def waited(self) -> float:
        return self.in_line

    def output(self, limit: int = 65536) -> bytes:
        return self._said[-limit:]

    def close(self) -> End:
        self.closed = True
        self.end = self.end or End(kind=EndKind.SIGNALLED, code=9)
        return self.end


class ScriptedLauncher:
    """Every box it starts answers by the same script; it is a host with one bench as well."""

    sealed = False
    layers: tuple[str, ...] = ()

    def __init__(self, answering: Answering, *, bench: Answering | None = None, said: bytes = b"") -> None:
        self._answering, self._bench_answering, self._said = answering, bench or answering, said
        self.started: list[ScriptedBox] = []
        self.benches: list[ScriptedBox] = []

    def start(self, policy: BoxPolicy) -> ScriptedBox:
        self.started.append(ScriptedBox(policy, self._answering, self._said))
        return self.started[-1]

    def bench(self) -> ScriptedBox:
        if not self.benches or self.benches[-1].closed or self.benches[-1].end:
            self.benches.append(ScriptedBox(BoxPolicy(role="bench"), self._bench_answering, b""))  # type: ignore[arg-type]
        return self.benches[-1]

    def drop_bench(self) -> None:
        self.benches[-1].close()

    def close(self) -> None:
        for box in self.started:
            box.close()


def session(launcher: ScriptedLauncher, **limits: float) -> Session:
    assignment = Assignment(
        slug="s", title="S", version="0", root=Path(), entry="a.py", functions=(FunctionSpec(name="f"),),
        limits=Limits(**limits),  # type: ignore[arg-type]
    )  # fmt: skip
    files = SubmittedFiles(entry="a.py", files=(SourceFile(name="a.py", text="def f(x):\n    return x\n"),))
    return Session(files=files, assignment=assignment, launcher=launcher, host=launcher)


def script(*answers: Message | End | BaseException) -> Answering:
    """Loads, then gives these answers, one a request, the last of them for ever."""
    waiting = list(answers)

    def answering(request: Message) -> Message | End | BaseException:
        if request.kind == "load":
            return loaded()
        return waiting.pop(0) if len(waiting) > 1 else waiting[0]

    return answering
