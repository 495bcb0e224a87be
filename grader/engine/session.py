"""One attempt as the rubric's checks see it: ask the candidate, ask the bench, within limits.

This is the part of the engine that `rubrics` builds on. A check asks for a traced or direct call of a
function and gets a program and observations; it has the bench run programs on inputs the candidate never saw.
Whatever ends a process on the way (a hang, a crash, too much memory) surfaces as `SubmissionEnded` in the
check that was waiting; the next check finds fresh processes.
"""

from __future__ import annotations

import json
import re
import time
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from typing import Any, Protocol, TypeVar

from grader.domain.errors import ProtocolViolation
from grader.domain.rubric import Assignment
from grader.domain.submission import SubmittedFiles
from grader.domain.text import head_and_tail, printable
from grader.domain.verdicts import Verdict
from grader.engine import trees
from grader.engine.bench import client
from grader.engine.bench.answers import Evaluation, How, ProgramFacts
from grader.engine.bench.keyfindings import KeyLog
from grader.engine.bench.raceresult import RaceResult
from grader.engine.policy import Box, BoxPolicy, End, EndKind, Launcher, Role
from grader.engine.protocol import Channel, ChannelClosed, Leaf, LeafKind, Message

_TRACEBACK_LINE = re.compile(r'File "(?P<file>[^"\n]+)", line (?P<line>\d+)')

_ABSURD_S = 1e6
"""No request takes this long: a candidate that says so is lying about a figure that decides nothing."""

SUSPECT_LIMIT_S = 2.0
"""Wall limit per request for a function that has already run into its limit once in this attempt."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Frame:
    """A line of submitted code that an exception passed through."""

    file: str
    line: int
    function: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Fault:
    """An exception raised by student code, as the candidate describes it. Texts are printable and bounded."""

    type: str
    bases: tuple[str, ...] = ()
    text: str = ""
    name: str = ""
    frames: tuple[Frame, ...] = ()

    @property
    def frame(self) -> Frame | None:
        """The innermost frame in submitted code."""
        return self.frames[-1] if self.frames else None


class SubmissionRaised(Exception):
    """Student code raised."""

    def __init__(self, function: str | None, fault: Fault) -> None:
        super().__init__(f"{fault.type}: {fault.text}")
        self.function, self.fault = function, fault


class SubmissionEnded(Exception):
    """A process that ran the submission, or a program made from it, ended before it answered."""

    def __init__(self, function: str | None, verdict: Verdict, limit: float | None = None) -> None:
        super().__init__(f"{function}: {verdict}")
        self.function, self.verdict, self.limit = function, verdict, limit
        self.frame: Frame | None = None
        """The submitted line that was running, where it is known."""


class LoadFailed(Exception):
    """The submission could not be loaded at all: a fault raised at import, or the way its process ended."""

    def __init__(
        self,
        fault: Fault | None,
        verdict: Verdict,
        *,
        limit: float | None = None,
        frame: Frame | None = None,
    ) -> None:
        super().__init__("the submission could not be loaded")
        self.fault, self.verdict, self.limit, self.frame = fault, verdict, limit, frame


@dataclass(frozen=True, slots=True, kw_only=True)
class Seen:
    """What a request's code did besides returning."""

    output: str = ""
    output_bytes: int = 0
    events: tuple[tuple[str, ...], ...] = ()
    state: tuple[tuple[str, ...], ...] = ()
    process: tuple[tuple[str, ...], ...] = ()
    traced: Mapping[str, int] = field(default_factory=dict)


@dataclass(frozen=True, slots=True, kw_only=True)
class InputsAfter:
    """What became of concrete inputs: leaves changed or deleted, by index, and the containers' structure."""

    changed: tuple[int, ...]
    deleted: tuple[int, ...]
    structure: trees.Node
    order: tuple[int, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class CallInputs:
    """Arguments of one call: structure of ``(args, kwargs)`` and its concrete leaves."""

    structure: trees.Node
    leaves: tuple[Leaf, ...]

    def abstract(self) -> tuple[Leaf, ...]:
        """Shapes and dtypes alone, as a tracing request sends them."""
        return tuple(
            Leaf(
                kind=LeafKind.ABSTRACT,
                dtype=leaf.dtype,
                shape=leaf.shape,
                weak=leaf.weak or leaf.kind is LeafKind.SCALAR,
                impl=leaf.impl,
            )
            for leaf in self.leaves
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class TracedCall:
    """A call turned into a program: exported bytes, flat in and out. `leaves` are abstract."""

    structure: trees.Node
    leaves: tuple[Leaf, ...]
    program: bytes | None
    fingerprint: str
    fingerprint_again: str | None
    jaxpr: str
    callbacks: tuple[str, ...]
    discarded: int
    effects: tuple[str, ...]
    inputs: InputsAfter | None
    seen: Seen


@dataclass(frozen=True, slots=True, kw_only=True)
class EagerCall:
    """A plain call that was really run: structure, concrete leaves, aliased inputs, and what it did."""

    structure: trees.Node
    leaves: tuple[Leaf, ...]
    aliases: tuple[int, ...]
    inputs: InputsAfter
    seen: Seen


@dataclass(frozen=True, slots=True, kw_only=True)
class FunctionFound:
    """A name the assignment asks for, as it was found: `parameters` are (name, kind, has a default)."""

    callable: bool
    line: int | None
    parameters: tuple[tuple[str, str, bool], ...] | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Loaded:
    """A submission loaded in one candidate. Missing functions are None."""

    functions: Mapping[str, FunctionFound | None]
    stand_ins: tuple[str, ...]
    seen: Seen


class BenchHost(Protocol):
    """Whoever owns the warm bench and may replace it."""

    def bench(self) -> Box: ...

    def drop_bench(self) -> End: ...


class Session:
    """One attempt. Not thread-safe: checks run one after the other."""

    def __init__(
        self, *, files: SubmittedFiles, assignment: Assignment, launcher: Launcher, host: BenchHost
    ) -> None:
        self.files, self.assignment = files, assignment
        self.limits = assignment.limits
        self._launcher, self._host = launcher, host
        self._candidates: dict[int, _Candidate] = {}
        self._answers: dict[tuple[Any, ...], TracedCall | EagerCall | Exception] = {}
        self._facts: dict[bytes, ProgramFacts] = {}
        self._load_failure: LoadFailed | None = None
        self._observed: dict[str, list[Seen]] = {}
        self._suspects: set[str] = set()
        self._attempt_ends = time.monotonic() + self.limits.attempt_s
        self._deadline = time.monotonic() + self.limits.check_s
        self._output: list[str] = []
        self.flags: list[str] = []
        self.cost: defaultdict[str, float] = defaultdict(float)
        """CPU seconds by stage, as the processes themselves report them."""

    def begin_check(self) -> None:
        """Start the clock of the next check."""
        self._deadline = min(time.monotonic() + self.limits.check_s, self._attempt_ends)

    def printed(self) -> str:
        """What the submission wrote while it was loaded and called, head and tail."""
        return head_and_tail("".join(self._output), self.limits.output_kib << 10)

    def notices(self) -> list[dict[str, Any]]:
        """Remarks about loading that its author should know and that cost nothing."""
        if self._load_failure is not None or 0 not in self._candidates:
            return []
        return [
            {
                "code": "load.stand_in",
                "message": f"{name} is not installed here; an object that does nothing took its place.",
                "line": None,
            }
            for name in self._candidates[0].loaded.stand_ins
        ]

    def close(self) -> None:
        """End every candidate of this attempt; never raises."""
        for candidate in self._candidates.values():
            candidate.box.close()
        self._candidates.clear()

    def loaded(self, world: int = 0) -> Loaded:
        """The submission as loaded in `world`; LoadFailed if it cannot be."""
        return self._candidate(world).loaded

    def traced(
        self, function: str, inputs: CallInputs, *, world: int = 0, twice: bool = False, program: bool = True
    ) -> TracedCall:
        """Call `function` on tracers. SubmissionRaised, SubmissionEnded or LoadFailed if that cannot be."""
        data = {"twice": twice, "program": program, "platforms": list(self.platforms)}
        answer = self._ask("export", function, inputs.structure, inputs.abstract(), world, data)
        return _expect(TracedCall, answer)

    def direct(
        self,
        function: str,
        inputs: CallInputs,
        *,
        world: int = 0,
        twice: bool = False,
        program: bool = True,
        turn: int = 0,
    ) -> TracedCall:
        """Call `function` plainly on concrete inputs, its JAX operations staged into a program.

        Equal requests are asked once; another `turn` asks again.
        """
        data = {"twice": twice, "program": program, "platforms": list(self.platforms), "turn": turn}
        answer = self._ask("call", function, inputs.structure, inputs.leaves, world, data)
        return _expect(TracedCall, answer)

    def eager(self, function: str, inputs: CallInputs, *, world: int = 0, turn: int = 0) -> EagerCall:
        """Call `function` plainly and really run it in the candidate; another `turn` asks again."""
        options = {"how": "eager", "turn": turn}
        answer = self._ask("call", function, inputs.structure, inputs.leaves, world, options)
        return _expect(EagerCall, answer)

    def observed(self, function: str) -> Sequence[Seen]:
        """Everything seen so far while `function` ran, in order."""
        return tuple(self._observed.get(function, ()))

    @property
    def platforms(self) -> tuple[str, ...]:
        """Platforms that programs are exported for."""
        return ("cuda",) if self.assignment.queue == "gpu" else ("cpu",)

    def inspect(self, function: str | None, program: bytes) -> ProgramFacts:
        """Facts about a program, verified but not run. ProgramRefused if the bench will not have it."""
        if program not in self._facts:
            with self.bench(function) as line:
                self._facts[program] = client.inspect(line, program)
        return self._facts[program]

    def evaluate(self, function: str | None, program: bytes, sets: Sequence[Sequence[Leaf]]) -> Evaluation:
        """Outputs of a program for each set of flat inputs.

        The interpreter may end its process on an operation it does not know; the program is then compiled.
        """
        try:
            with self.bench(function, suspect=False) as line:
                return self._evaluated(client.evaluate(line, program, sets))
        except SubmissionEnded as exc:
            if exc.verdict is not Verdict.CRASHED:
                raise self._suspect(function, exc) from exc
        with self.bench(function) as line:
            return self._evaluated(client.evaluate(line, program, sets, how=How.COMPILE))

    def _evaluated(self, evaluation: Evaluation) -> Evaluation:
        self._add_cost(evaluation.cost)
        return evaluation

    def _add_cost(self, cost: Mapping[str, float]) -> None:
        for stage, seconds in cost.items():
            self.cost[stage] += seconds

    def key_log(
        self,
        function: str,
        program: bytes,
        inputs: Sequence[Leaf],
        *,
        key_inputs: Sequence[int],
        key_outputs: Sequence[int],
    ) -> KeyLog:
        """Which PRNG keys one run of a program uses. Positions are flat."""
        with self.bench(function) as line:
            log = client.key_log(line, program, inputs, key_inputs=key_inputs, key_outputs=key_outputs)
        self._add_cost(log.cost)
        return log

    def race(
        self,
        function: str,
        lanes: Mapping[str, bytes],
        sets: Sequence[Sequence[Leaf]],
        *,
        at_least: float,
    ) -> RaceResult:
        """Time programs against each other on the same inputs, interleaved, by the bench's clock."""
        with self.bench(function) as line:
            result = client.race(line, lanes, sets, at_least=at_least)
        self._add_cost(result.cost)
        return result

    @contextmanager
    def bench(self, function: str | None, *, suspect: bool = True) -> Iterator[client.Line]:
        """The bench, within this check's time. If it dies, the program it ran for `function` is to blame."""
        box = self._host.bench()
        limit = self._limit(function)
        try:
            with box.deadline(limit):
                yield box.channel
        except (ChannelClosed, ProtocolViolation) as exc:
            ended = _ended(function, self._host.drop_bench(), limit)
            raise (self._suspect(function, ended) if suspect else ended) from exc

    def _ask(
        self,
        kind: str,
        function: str,
        structure: trees.Node,
        leaves: tuple[Leaf, ...],
        world: int,
        options: Mapping[str, Any],
    ) -> TracedCall | EagerCall:
        key = _cache_key(kind, function, structure, leaves, world, options)
        known = self._answers.get(key)
        if known is None:
            known = self._answers[key] = self._ask_anew(kind, function, structure, leaves, world, options)
        if isinstance(known, Exception):
            raise known
        return known

    def _ask_anew(
        self,
        kind: str,
        function: str,
        structure: trees.Node,
        leaves: tuple[Leaf, ...],
        world: int,
        options: Mapping[str, Any],
    ) -> TracedCall | EagerCall | Exception:
        candidate = self._candidate(world)
        data = {"function": function, "structure": structure, **options}
        try:
            answer = self._exchange(candidate, function, Message(kind=kind, data=data, leaves=leaves))
            seen = _seen(answer.data["seen"])
            self._note(function, seen)
            if answer.kind == "error":
                return SubmissionRaised(function, _fault(answer.data["error"]))
            return _traced_call(answer, seen) if answer.kind == "traced" else _eager_call(answer, seen)
        except SubmissionEnded as exc:
            return exc
        except (KeyError, TypeError, ValueError, ProtocolViolation):
            self._candidates.pop(world).box.close()
            return SubmissionEnded(function, Verdict.CRASHED)

    def _candidate(self, world: int) -> _Candidate:
        if self._load_failure is not None:
            raise self._load_failure
        if world not in self._candidates:
            try:
                self._candidates[world] = self._start(world)
            except LoadFailed as exc:
                self._load_failure = exc
                raise
        return self._candidates[world]

    def _start(self, world: int) -> _Candidate:
        policy = BoxPolicy(role=Role.CANDIDATE, memory_mib=self.limits.memory_mib, world=world)
        candidate = _Candidate(box=self._launcher.start(policy))
        texts = {file.name: file.text for file in self.files.files}
        names = [spec.name for spec in self.assignment.functions]
        request = Message(kind="load", data={"texts": texts, "entry": self.files.entry, "functions": names})
        self._candidates[world] = candidate
        try:
            answer = self._exchange(candidate, None, request, limit=self.limits.load_s)
        except SubmissionEnded as exc:
            raise LoadFailed(None, exc.verdict, limit=exc.limit, frame=exc.frame) from exc
        try:
            seen = _seen(answer.data["seen"])
            self._output.append(seen.output)
            if answer.kind == "error":
                raise LoadFailed(_fault(answer.data["error"]), Verdict.FAILED)
            candidate.loaded = _loaded(answer, seen)
        except (KeyError, TypeError, ValueError) as exc:
            raise LoadFailed(None, Verdict.CRASHED) from exc
        return candidate

    def _exchange(
        self, candidate: _Candidate, function: str | None, request: Message, *, limit: float | None = None
    ) -> Message:
        limit = limit if limit is not None else self._limit(function)
        request = replace(request, data={**request.data, "limit_s": limit})
        try:
            with candidate.box.deadline(limit):
                candidate.channel.send(request)
                answer = candidate.channel.receive()
        except (ChannelClosed, ProtocolViolation) as exc:
            self._candidates = {
                world: other for world, other in self._candidates.items() if other is not candidate
            }
            ended = _ended(function, candidate.box.close(), limit)
            ended.frame = self._hung_at(candidate)
            raise self._suspect(function, ended) from exc
        self._charge(request.kind, answer)
        return answer

    def _hung_at(self, candidate: _Candidate) -> Frame | None:
        """The innermost submitted line that a hanging candidate wrote down. Hearsay: it decides nothing."""
        names = {file.name for file in self.files.files}
        for found in _TRACEBACK_LINE.finditer(candidate.box.output().decode("utf-8", "replace")):
            if found["file"] in names:
                return Frame(file=found["file"], line=int(found["line"]))
        return None

    def _charge(self, stage: str, answer: Message) -> None:
        seconds = answer.data.get("cpu_s")
        if isinstance(seconds, float) and 0 <= seconds < _ABSURD_S:
            self.cost[stage] += seconds

    def _limit(self, function: str | None) -> float:
        remaining = self._deadline - time.monotonic()
        if remaining <= 0:
            raise SubmissionEnded(function, Verdict.TIMED_OUT, self.limits.check_s)
        return min(remaining, SUSPECT_LIMIT_S) if function in self._suspects else remaining

    def _suspect(self, function: str | None, ended: SubmissionEnded) -> SubmissionEnded:
        if function is not None:
            self._suspects.add(function)
        return ended

    def _note(self, function: str, seen: Seen) -> None:
        self._observed.setdefault(function, []).append(seen)
        if seen.output:
            self._output.append(seen.output)


_VERDICT_OF_END: Mapping[EndKind, Verdict] = {
    EndKind.DEADLINE: Verdict.TIMED_OUT,
    EndKind.CPU_LIMIT: Verdict.TIMED_OUT,
    EndKind.OUT_OF_MEMORY: Verdict.OUT_OF_MEMORY,
}


def _ended(function: str | None, end: End, limit: float) -> SubmissionEnded:
    verdict = _VERDICT_OF_END.get(end.kind, Verdict.CRASHED)
    return SubmissionEnded(function, verdict, limit if verdict is Verdict.TIMED_OUT else None)


class _Candidate:
    """A running candidate and what it loaded."""

    def __init__(self, box: Box) -> None:
        self.box = box
        self.loaded = Loaded(functions={}, stand_ins=(), seen=Seen())

    @property
    def channel(self) -> Channel:
        return self.box.channel


_Answer = TypeVar("_Answer", TracedCall, EagerCall)


def _expect(kind: type[_Answer], answer: TracedCall | EagerCall) -> _Answer:
    if not isinstance(answer, kind):
        raise ProtocolViolation("the candidate answered another question")
    return answer


def _cache_key(
    kind: str,
    function: str,
    structure: trees.Node,
    leaves: tuple[Leaf, ...],
    world: int,
    options: Mapping[str, Any],
) -> tuple[Any, ...]:
    described = tuple(
        (
            leaf.kind,
            leaf.dtype,
            leaf.shape,
            leaf.weak,
            leaf.impl,
            None if leaf.array is None else leaf.array.tobytes(),
        )
        for leaf in leaves
    )
    return (kind, function, json.dumps(structure), described, world, json.dumps(options, sort_keys=True))


def _fault(data: Mapping[str, Any]) -> Fault:
    return Fault(
        type=printable(str(data["type"]), limit=100),
        bases=tuple(printable(str(base), limit=100) for base in data["bases"][:8]),
        text=printable(str(data["text"]), limit=2000),
        name=printable(str(data["name"]), limit=200),
        frames=tuple(
            Frame(
                file=printable(str(frame["file"]), limit=200),
                line=int(frame["line"]),
                function=printable(str(frame["function"]), limit=100),
            )
            for frame in data["frames"][:12]
        ),
    )


def _seen(data: Mapping[str, Any]) -> Seen:
    def rows(name: str) -> tuple[tuple[str, ...], ...]:
        return tuple(
            tuple(printable(str(part), limit=200) for part in row[:4]) for row in list(data[name])[:20]
        )

    return Seen(
        output=printable(str(data["output"]), limit=64 << 10),
        output_bytes=int(data["output_bytes"]),
        events=rows("events"),
        state=rows("state"),
        process=rows("process"),
        traced={printable(str(name), limit=200): int(count) for name, count in dict(data["traced"]).items()},
    )


def _loaded(answer: Message, seen: Seen) -> Loaded:
    functions: dict[str, FunctionFound | None] = {}
    for name, found in dict(answer.data["functions"]).items():
        functions[name] = None if found is None else _function_found(found)
    stand_ins = tuple(printable(str(name), limit=60) for name in answer.data["stand_ins"][:20])
    return Loaded(functions=functions, stand_ins=stand_ins, seen=seen)


def _function_found(found: Mapping[str, Any]) -> FunctionFound:
    parameters = found["parameters"]
    return FunctionFound(
        callable=bool(found["callable"]),
        line=None if found["line"] is None else int(found["line"]),
        parameters=None
        if parameters is None
        else tuple((str(name), str(kind), bool(default)) for name, kind, default in parameters[:64]),
    )


def _inputs_after(data: Mapping[str, Any] | None) -> InputsAfter | None:
    if data is None:
        return None
    containers = data["containers"]
    return InputsAfter(
        changed=tuple(int(index) for index in data["changed"]),
        deleted=tuple(int(index) for index in data["deleted"]),
        structure=containers["structure"],
        order=tuple(int(index) for index in containers["order"]),
    )


def _traced_call(answer: Message, seen: Seen) -> TracedCall:
    data = answer.data
    return TracedCall(
        structure=data["structure"],
        leaves=answer.leaves,
        program=answer.blobs[0] if answer.blobs else None,
        fingerprint=str(data["fingerprint"]),
        fingerprint_again=data["fingerprint_again"],
        jaxpr=printable(str(data["jaxpr"]), limit=20_000),
        callbacks=tuple(printable(str(name), limit=60) for name in data["callbacks"][:20]),
        discarded=len(data["discarded"]),
        effects=tuple(printable(str(name), limit=60) for name in data["effects"][:20]),
        inputs=_inputs_after(data.get("inputs")),
        seen=seen,
    )


def _eager_call(answer: Message, seen: Seen) -> EagerCall:
    inputs = _inputs_after(answer.data["inputs"])
    if inputs is None:
        raise ProtocolViolation("a plain call's answer lacks its inputs")
    return EagerCall(
        structure=answer.data["structure"],
        leaves=answer.leaves,
        aliases=tuple(int(index) for index in answer.data["aliases"]),
        inputs=inputs,
        seen=seen,
    )
