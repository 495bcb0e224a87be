"""One attempt as the rubric's checks see it: ask the candidate, ask the bench, within limits.

This is the part of the engine that `rubrics` builds on. A check asks for a traced or direct call of a
function and gets a program and observations; it has the bench run programs on inputs the candidate never saw.
Whatever ends a process on the way (a hang, a crash, too much memory) surfaces as `SubmissionEnded` in the
check that was waiting; the next check finds fresh processes.
"""

from __future__ import annotations

import json
import math
import time
from collections import defaultdict
from collections.abc import Callable, Container, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from typing import Any, Protocol, TypeVar

from grader.domain.errors import EngineFault, ProtocolViolation
from grader.domain.rubric import Assignment
from grader.domain.submission import SubmittedFiles
from grader.domain.text import head_and_tail
from grader.domain.verdicts import Verdict
from grader.engine import hangs, testimony, trees
from grader.engine.bench import client
from grader.engine.bench.answers import Evaluation, How, ProgramFacts
from grader.engine.bench.keyfindings import KeyLog
from grader.engine.bench.raceresult import RaceResult
from grader.engine.policy import Box, BoxPolicy, End, EndKind, Launcher, Role
from grader.engine.protocol import ChannelClosed, Leaf, LeafKind, Message
from grader.engine.testimony import (
    EagerCall,
    Fault,
    FollowedCall,
    Frame,
    FunctionFound,
    InputsAfter,
    Loaded,
    Seen,
    TracedCall,
)

__all__ = [
    "BenchHost",
    "CallInputs",
    "EagerCall",
    "Fault",
    "FollowedCall",
    "Frame",
    "FunctionFound",
    "InputsAfter",
    "LoadFailed",
    "Loaded",
    "Seen",
    "Session",
    "SubmissionEnded",
    "SubmissionRaised",
    "TracedCall",
]

SUSPECT_LIMIT_S = 2.0
"""Wall limit per request for a function that has already run into its limit once in this attempt."""

_LINGER_S = 2.0
"""How long a box whose channel is closed may take to be gone; a process with gigabytes needs a second."""

_SIGKILL = 9


class SubmissionRaised(Exception):
    """Student code raised."""

    def __init__(self, function: str | None, fault: Fault) -> None:
        super().__init__(f"{fault.type}: {fault.text}")
        self.function, self.fault = function, fault


class SubmissionEnded(Exception):
    """A process that ran the submission, or a program made from it, ended before it answered."""

    def __init__(
        self,
        function: str | None,
        verdict: Verdict,
        limit: float | None = None,
        *,
        frame: Frame | None = None,
    ) -> None:
        super().__init__(f"{function}: {verdict}")
        self.function, self.verdict, self.limit = function, verdict, limit
        self.frame = frame
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


class BenchHost(Protocol):
    """Whoever owns the warm bench and may replace it."""

    def bench(self) -> Box: ...

    def drop_bench(self) -> None: ...


_Call = TracedCall | EagerCall | FollowedCall


class _BenchDied(EngineFault):
    """The bench died of a program that it had accepted."""


class _Killed(Exception):
    """A box was killed from outside while it was asked something."""


@dataclass(slots=True, kw_only=True)
class _Candidate:
    """A running candidate and what it loaded."""

    box: Box
    world: int
    loaded: Loaded


@dataclass(frozen=True, slots=True, kw_only=True)
class _Question:
    """A request about one call, as it is asked and remembered."""

    kind: str
    function: str
    inputs: CallInputs
    leaves: tuple[Leaf, ...]
    world: int
    options: Mapping[str, Any]

    def key(self) -> tuple[Any, ...]:
        """Equal for questions that need to be asked once only."""
        described = tuple(
            (
                leaf.kind,
                leaf.dtype,
                leaf.shape,
                leaf.weak,
                leaf.impl,
                None if leaf.array is None else leaf.array.tobytes(),
            )
            for leaf in self.leaves
        )
        structure, options = json.dumps(self.inputs.structure), json.dumps(self.options, sort_keys=True)
        return (self.kind, self.function, structure, described, self.world, options)

    def message(self) -> Message:
        data = {"function": self.function, "structure": self.inputs.structure, **self.options}
        return Message(kind=self.kind, data=data, leaves=self.leaves)

    def read(self, answer: Message, seen: Seen, files: Container[str]) -> _Call:
        """The answer, which must be one to this question."""
        count = len(self.leaves)
        if self.options.get("how") == "followed":
            return testimony.read_followed(answer, seen, files)
        if self.options.get("how") == "eager":
            return testimony.read_called(answer, seen, inputs=count)
        return testimony.read_traced(answer, seen, inputs=count, program=bool(self.options["program"]))


_Answer = TypeVar("_Answer", TracedCall, EagerCall, FollowedCall)
_Work = TypeVar("_Work")


class Session:
    """One attempt. Not thread-safe: checks run one after the other.

    Time: a request may take what is left to its check, loading has a limit of its own that does not count
    against the check, and all of it ends with the attempt. A check that the end of the attempt cut short, or
    that did not begin before it, was not judged: that is an `EngineFault`, never the submission's.
    """

    def __init__(
        self, *, files: SubmittedFiles, assignment: Assignment, launcher: Launcher, host: BenchHost
    ) -> None:
        self.files, self.assignment = files, assignment
        self.limits = assignment.limits
        self._names = frozenset(file.name for file in files.files)
        self._launcher, self._host = launcher, host
        self._candidates: dict[int, _Candidate] = {}
        self._load_failures: dict[int, LoadFailed] = {}
        self._loaded_once = False
        self._stand_ins: tuple[str, ...] = ()
        self._answers: dict[tuple[Any, ...], _Call | SubmissionRaised | SubmissionEnded] = {}
        self._facts: dict[bytes, ProgramFacts] = {}
        self._observed: dict[str, list[Seen]] = {}
        self._suspects: set[str] = set()
        self._attempt_ends = time.monotonic() + self.limits.attempt_s
        self._check_ends = time.monotonic() + self.limits.check_s
        self._request_s = math.inf
        self._output: list[str] = []
        self.flags: list[str] = []
        self.cost: defaultdict[str, float] = defaultdict(float)
        """CPU seconds by stage, as the processes themselves report them."""

    def begin_check(self) -> None:
        """Start the clock of the next check."""
        self._check_ends = time.monotonic() + self.limits.check_s

    @contextmanager
    def at_most(self, seconds: float) -> Iterator[None]:
        """No request made inside may take longer, however much time is left to the check."""
        self._request_s = seconds
        try:
            yield
        finally:
            self._request_s = math.inf

    def printed(self) -> str:
        """What the submission wrote while it was loaded and called, head and tail."""
        return head_and_tail("".join(self._output), self.limits.output_kib << 10)

    def notices(self) -> list[dict[str, Any]]:
        """Remarks about loading that its author should know and that cost nothing."""
        return [
            {
                "code": "load.stand_in",
                "message": f"{name} is not installed here; an object that does nothing took its place.",
                "line": None,
            }
            for name in self._stand_ins
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
        self,
        function: str,
        inputs: CallInputs,
        *,
        world: int = 0,
        fingerprint: bool = False,
        program: bool = True,
        turn: int = 0,
        transform: Mapping[str, Any] | None = None,
    ) -> TracedCall:
        """Call `function`, maybe under a transformation, on tracers.

        SubmissionRaised, SubmissionEnded or LoadFailed if that cannot be.
        """
        options = self._options(fingerprint=fingerprint, program=program, turn=turn)
        if transform is not None:
            options["transform"] = dict(transform)
        return self._ask(TracedCall, "export", function, inputs, inputs.abstract(), world, options)

    def direct(
        self,
        function: str,
        inputs: CallInputs,
        *,
        world: int = 0,
        fingerprint: bool = False,
        program: bool = True,
        turn: int = 0,
    ) -> TracedCall:
        """Call `function` plainly on concrete inputs, its JAX operations staged into a program.

        Equal requests are asked once; another `turn` asks again.
        """
        options = self._options(fingerprint=fingerprint, program=program, turn=turn)
        return self._ask(TracedCall, "call", function, inputs, inputs.leaves, world, options)

    def eager(self, function: str, inputs: CallInputs, *, world: int = 0, turn: int = 0) -> EagerCall:
        """Call `function` plainly and really run it in the candidate; another `turn` asks again."""
        options = {"how": "eager", "turn": turn}
        return self._ask(EagerCall, "call", function, inputs, inputs.leaves, world, options)

    def followed(self, function: str, inputs: CallInputs, *, world: int = 0) -> FollowedCall:
        """Call `function` plainly and really run it, its keys followed. Hearsay: a candidate could lie."""
        return self._ask(FollowedCall, "call", function, inputs, inputs.leaves, world, {"how": "followed"})

    def observed(self, function: str) -> Sequence[Seen]:
        """Everything seen so far while `function` ran, in order."""
        return tuple(self._observed.get(function, ()))

    def _options(self, *, fingerprint: bool, program: bool, turn: int) -> dict[str, Any]:
        return {
            "fingerprint": fingerprint,
            "program": program,
            "platforms": list(self.platforms),
            "turn": turn,
        }

    @property
    def platforms(self) -> tuple[str, ...]:
        """Platforms that programs are exported for."""
        return ("cuda",) if self.assignment.queue == "gpu" else ("cpu",)

    def inspect(self, function: str | None, program: bytes) -> ProgramFacts:
        """Facts about a program, verified but not run. ProgramRefused if the bench will not have it."""
        if program not in self._facts:
            self._facts[program] = self._bench(function, lambda line: client.inspect(line, program))
        return self._facts[program]

    def evaluate(self, function: str | None, program: bytes, sets: Sequence[Sequence[Leaf]]) -> Evaluation:
        """Outputs of a program for each set of flat inputs.

        The interpreter may end its process on an operation it does not know; the program is then compiled.
        """
        try:
            done = self._bench(function, lambda line: client.evaluate(line, program, sets))
        except _BenchDied:
            done = self._bench(function, lambda line: client.evaluate(line, program, sets, how=How.COMPILE))
        self._charge(done.cost)
        return done

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
        log = self._bench(
            function,
            lambda line: client.key_log(
                line, program, inputs, key_inputs=key_inputs, key_outputs=key_outputs
            ),
        )
        self._charge(log.cost)
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
        result = self._bench(function, lambda line: client.race(line, lanes, sets, at_least=at_least))
        self._charge(result.cost)
        return result

    # --- the bench ---------------------------------------------------------------------------------------

    def _bench(self, function: str | None, work: Callable[[client.Line], _Work]) -> _Work:
        """`work` on the bench, within this check's time.

        Running out of time or memory is the doing of `function`'s program. Dying of anything else is not: no
        student's Python runs there, and the program had been verified. The check is then not graded.
        """
        try:
            return self._on_bench(function, work)
        except _Killed:
            return self._undisturbed(function, lambda: self._on_bench(function, work))

    def _on_bench(self, function: str | None, work: Callable[[client.Line], _Work]) -> _Work:
        limit = self._limit(function)
        box = self._host.bench()
        try:
            with box.deadline(limit):
                return work(box.channel)
        except (ChannelClosed, ProtocolViolation) as exc:
            end = _end_of(box) if isinstance(exc, ChannelClosed) else None
            self._host.drop_bench()
            raise self._bench_ended(function, end, limit) from None

    def _bench_ended(self, function: str | None, end: End | None, limit: float) -> Exception:
        ended = self._ended(function, end, limit)
        if isinstance(ended, SubmissionEnded) and ended.verdict is Verdict.CRASHED:
            told = "without sense" if end is None else f"{end.kind.value} {end.code}"
            return _BenchDied(f"the bench ended ({told}) while it ran the program of {function}")
        return ended

    # --- the candidates ----------------------------------------------------------------------------------

    def _ask(
        self,
        kind: type[_Answer],
        request: str,
        function: str,
        inputs: CallInputs,
        leaves: tuple[Leaf, ...],
        world: int,
        options: Mapping[str, Any],
    ) -> _Answer:
        question = _Question(
            kind=request, function=function, inputs=inputs, leaves=leaves, world=world, options=options
        )
        key = question.key()
        if key not in self._answers:
            self._answers[key] = self._answer(question)
        known = self._answers[key]
        if isinstance(known, SubmissionRaised | SubmissionEnded):
            raise known.with_traceback(None)
        assert isinstance(known, kind)  # noqa: S101 - `_Question.read` sees to it
        return known

    def _answer(self, question: _Question) -> _Call | SubmissionRaised | SubmissionEnded:
        try:
            return self._asked(question)
        except _Killed:
            return self._undisturbed(question.function, lambda: self._asked(question))
        except SubmissionEnded as exc:
            return exc

    def _asked(self, question: _Question) -> _Call | SubmissionRaised:
        candidate, function = self._candidate(question.world), question.function
        answer = self._exchange(candidate, function, question.message(), limit=self._limit(function))
        try:
            seen = testimony.read_seen(answer)
            self._note(function, seen)
            if answer.kind != "error":
                return question.read(answer, seen, self._names)
            fault = testimony.read_fault(answer, self._names)
        except ProtocolViolation:
            self._drop(candidate)
            raise SubmissionEnded(function, Verdict.CRASHED) from None
        if fault.is_shortage:
            self._drop(candidate)  # it may not have got back what it needs
            raise SubmissionEnded(function, Verdict.OUT_OF_MEMORY, frame=fault.frame)
        return SubmissionRaised(function, fault)

    def _candidate(self, world: int) -> _Candidate:
        if world in self._load_failures:
            raise self._load_failures[world].with_traceback(None)
        if world not in self._candidates:
            try:
                self._candidates[world] = self._started(world)
            except LoadFailed as exc:
                self._load_failures[world] = exc
                raise
        return self._candidates[world]

    def _started(self, world: int) -> _Candidate:
        began = time.monotonic()
        try:
            return self._start(world)
        except _Killed:
            return self._undisturbed(None, lambda: self._start(world))
        except SubmissionEnded as exc:
            raise LoadFailed(None, exc.verdict, limit=exc.limit, frame=exc.frame) from None
        finally:
            self._check_ends += time.monotonic() - began

    def _start(self, world: int) -> _Candidate:
        policy = BoxPolicy(role=Role.CANDIDATE, memory_mib=self.limits.memory_mib, world=world)
        names = [spec.name for spec in self.assignment.functions]
        texts = {file.name: file.text for file in self.files.files}
        request = Message(kind="load", data={"texts": texts, "entry": self.files.entry, "functions": names})
        limit = min(self.limits.load_s, self._attempt_left())
        nothing = Loaded(functions={}, stand_ins=(), seen=Seen())
        candidate = _Candidate(box=self._launcher.start(policy), world=world, loaded=nothing)
        answer = self._exchange(candidate, None, request, limit=limit)
        try:
            candidate.loaded = self._read_loaded(answer, names, world)
        except ProtocolViolation:
            candidate.box.close()
            raise LoadFailed(None, Verdict.CRASHED) from None
        except BaseException:  # whatever it was: nothing goes on running that the attempt does not know of
            candidate.box.close()
            raise
        return candidate

    def _read_loaded(self, answer: Message, names: Sequence[str], world: int) -> Loaded:
        seen = testimony.read_seen(answer)
        if world == 0 and not self._loaded_once:
            self._loaded_once = True
            self._output.append(seen.output)
        if answer.kind != "error":
            loaded = testimony.read_loaded(answer, names, seen)
            self._stand_ins = self._stand_ins or loaded.stand_ins
            return loaded
        fault = testimony.read_fault(answer, self._names)
        if fault.is_shortage:
            raise LoadFailed(None, Verdict.OUT_OF_MEMORY, frame=fault.frame)
        raise LoadFailed(fault, Verdict.FAILED)

    def _exchange(
        self, candidate: _Candidate, function: str | None, request: Message, *, limit: float
    ) -> Message:
        request = replace(request, data={**request.data, "limit_s": limit})
        try:
            with candidate.box.deadline(limit):
                candidate.box.channel.send(request)
                answer = candidate.box.channel.receive()
        except ChannelClosed:
            end = _end_of(candidate.box)
            self._drop(candidate)
            raise self._ended(function, end, limit, said=candidate.box.output()) from None
        except ProtocolViolation:
            self._drop(candidate)
            raise self._ended(function, None, limit) from None
        self._charge({request.kind: testimony.read_cpu_s(answer)})
        return answer

    def _drop(self, candidate: _Candidate) -> None:
        if self._candidates.get(candidate.world) is candidate:
            del self._candidates[candidate.world]
        candidate.box.close()

    # --- limits and endings ------------------------------------------------------------------------------

    def _limit(self, function: str | None) -> float:
        """Seconds the next request may take. SubmissionEnded if this check has none left."""
        left = min(self._check_ends - time.monotonic(), self._attempt_left())
        if left <= 0:
            raise SubmissionEnded(function, Verdict.TIMED_OUT, self.limits.check_s)
        left = min(left, self._request_s)
        return min(left, SUSPECT_LIMIT_S) if function in self._suspects else left

    def _attempt_left(self) -> float:
        left = self._attempt_ends - time.monotonic()
        if left <= 0:
            raise EngineFault(
                f"the {self.limits.attempt_s:g} seconds of the whole attempt were over before this check "
                "was; raise attempt_s in assignment.toml if right submissions need longer."
            )
        return left

    def _ended(self, function: str | None, end: End | None, limit: float, said: bytes = b"") -> Exception:
        """What the end of a box means, None being that it went on but spoke no sense."""
        if end is not None and (end.kind, end.code) == (EndKind.SIGNALLED, _SIGKILL):
            return _Killed()
        verdict = Verdict.CRASHED if end is None else _VERDICT_OF_END.get(end.kind, Verdict.CRASHED)
        if verdict is Verdict.TIMED_OUT:
            self._attempt_left()
        told = None if verdict is not Verdict.TIMED_OUT else self._told(function, limit)
        if function is not None and verdict is Verdict.TIMED_OUT:
            self._suspects.add(function)
        return SubmissionEnded(function, verdict, told, frame=hangs.innermost(said, self._names))

    def _told(self, function: str | None, limit: float) -> float:
        """The limit that a student reads: the whole check's, however much of it other calls had used up."""
        if function is None:
            return self.limits.load_s
        return limit if limit == SUSPECT_LIMIT_S else self.limits.check_s

    def _undisturbed(self, function: str | None, work: Callable[[], _Work]) -> _Work:
        """Do `work` again after a kill from outside. A second kill is not chance: code may kill itself."""
        try:
            return work()
        except _Killed:
            raise SubmissionEnded(function, Verdict.CRASHED) from None

    def _charge(self, cost: Mapping[str, float]) -> None:
        for stage, seconds in cost.items():
            self.cost[stage] += seconds

    def _note(self, function: str, seen: Seen) -> None:
        self._observed.setdefault(function, []).append(seen)
        if seen.output:
            self._output.append(seen.output)


_VERDICT_OF_END: Mapping[EndKind, Verdict] = {
    EndKind.DEADLINE: Verdict.TIMED_OUT,
    EndKind.CPU_LIMIT: Verdict.TIMED_OUT,
    EndKind.OUT_OF_MEMORY: Verdict.OUT_OF_MEMORY,
}


def _end_of(box: Box) -> End | None:
    """How a box ended whose channel is closed; None if it went on without its channel."""
    until = time.monotonic() + _LINGER_S
    while (end := box.end) is None and time.monotonic() < until:
        time.sleep(0.002)
    return end
