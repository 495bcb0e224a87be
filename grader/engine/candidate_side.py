"""A session's dealings with candidates: start, load, ask, remember, replace."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TypeVar

from grader.domain.errors import ProtocolViolation
from grader.domain.rubric import Assignment
from grader.domain.submission import SubmittedFiles
from grader.domain.verdicts import Verdict
from grader.engine import hangs, testimony
from grader.engine.clocks import Clock
from grader.engine.endings import (
    KilledFromOutside,
    LoadFailed,
    SubmissionEnded,
    SubmissionRaised,
    end_of,
    or_hang,
    verdict_of,
)
from grader.engine.policy import Box, BoxPolicy, End, Launcher, Role
from grader.engine.protocol import ChannelClosed, Message
from grader.engine.questions import Call, Question
from grader.engine.testimony import Loaded, Seen

_Work = TypeVar("_Work")
_Charge = Callable[[Mapping[str, float]], None]


@dataclass(frozen=True, slots=True, kw_only=True)
class Place:
    """Where a candidate runs: a world, and how many simulated devices there are."""

    world: int = 0
    devices: int = 1


@dataclass(slots=True, kw_only=True)
class _Candidate:
    """A running candidate and what it loaded."""

    box: Box
    place: Place
    loaded: Loaded


class CandidateSide:
    """The candidates of one attempt, at most one a place. What they say is remembered, and never believed."""

    def __init__(
        self,
        *,
        files: SubmittedFiles,
        assignment: Assignment,
        launcher: Launcher,
        clock: Clock,
        charge: _Charge,
    ) -> None:
        self._files, self._assignment, self._launcher = files, assignment, launcher
        self._clock, self._charge = clock, charge
        self._names = frozenset(file.name for file in files.files)
        self._running: dict[Place, _Candidate] = {}
        self._load_failures: dict[Place, LoadFailed] = {}
        self._loaded_once = False
        self._answers: dict[object, Call | SubmissionRaised | SubmissionEnded] = {}
        self.seen: dict[str, list[Seen]] = {}
        """Everything seen while a function ran, in order."""
        self.printed: list[str] = []
        self.stand_ins: tuple[str, ...] = ()

    def loaded(self, world: int) -> Loaded:
        """The submission as loaded in `world`; LoadFailed if it cannot be."""
        return self._candidate(Place(world=world)).loaded

    def ask(self, question: Question) -> Call:
        """The answer to a question, asked once. SubmissionRaised, SubmissionEnded or LoadFailed if none."""
        key = question.key()
        if key not in self._answers:
            self._answers[key] = self._answer(question)
        known = self._answers[key]
        if isinstance(known, SubmissionRaised | SubmissionEnded):
            raise known.with_traceback(None)
        return known

    def close(self) -> None:
        """End every candidate; never raises."""
        for candidate in self._running.values():
            candidate.box.close()
        self._running.clear()

    # --- asking ------------------------------------------------------------------------------------------

    def _answer(self, question: Question) -> Call | SubmissionRaised | SubmissionEnded:
        try:
            return _undisturbed(question.function, lambda: self._asked(question))
        except SubmissionEnded as exc:
            return exc

    def _asked(self, question: Question) -> Call | SubmissionRaised:
        place = Place(world=question.world, devices=question.devices)
        candidate, function = self._candidate(place), question.function
        answer = self._exchange(candidate, function, question.message(), limit=self._clock.limit(function))
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

    def _note(self, function: str, seen: Seen) -> None:
        self.seen.setdefault(function, []).append(seen)
        if seen.output:
            self.printed.append(seen.output)

    # --- starting and loading ----------------------------------------------------------------------------

    def _candidate(self, place: Place) -> _Candidate:
        if place in self._load_failures:
            raise self._load_failures[place].with_traceback(None)
        if place not in self._running:
            try:
                self._running[place] = self._started(place)
            except LoadFailed as exc:
                self._load_failures[place] = exc
                raise
        return self._running[place]

    def _started(self, place: Place) -> _Candidate:
        limit = self._clock.load_limit()
        try:
            return _undisturbed(None, lambda: self._start(place, limit))
        except SubmissionEnded as exc:
            raise LoadFailed(None, exc.verdict, limit=exc.limit, frame=exc.frame) from None

    def _start(self, place: Place, limit: float) -> _Candidate:
        policy = BoxPolicy(role=Role.CANDIDATE, memory_mib=self._clock.limits.memory_mib, world=place.world)
        names = [spec.name for spec in self._assignment.functions]
        texts = {file.name: file.text for file in self._files.files}
        data = {"texts": texts, "entry": self._files.entry, "functions": names, "devices": place.devices}
        request = Message(kind="load", data=data)
        nothing = Loaded(functions={}, stand_ins=(), seen=Seen())
        candidate = _Candidate(box=self._launcher.start(policy), place=place, loaded=nothing)
        answer = self._exchange(candidate, None, request, limit=limit)
        try:
            candidate.loaded = self._read_loaded(answer, names, place)
        except ProtocolViolation:
            candidate.box.close()
            raise LoadFailed(None, Verdict.CRASHED) from None
        except BaseException:  # whatever it was: nothing goes on running that the attempt does not know of
            candidate.box.close()
            raise
        return candidate

    def _read_loaded(self, answer: Message, names: Sequence[str], place: Place) -> Loaded:
        seen = testimony.read_seen(answer)
        if place == Place() and not self._loaded_once:
            self._loaded_once = True
            self.printed.append(seen.output)
        if answer.kind != "error":
            loaded = testimony.read_loaded(answer, names, seen)
            self.stand_ins = self.stand_ins or loaded.stand_ins
            return loaded
        fault = testimony.read_fault(answer, self._names)
        if fault.is_shortage:
            raise LoadFailed(None, Verdict.OUT_OF_MEMORY, frame=fault.frame)
        raise LoadFailed(fault, Verdict.FAILED)

    # --- one exchange ------------------------------------------------------------------------------------

    def _exchange(
        self, candidate: _Candidate, function: str | None, request: Message, *, limit: float
    ) -> Message:
        request = replace(request, data={**request.data, "limit_s": limit})
        began = time.monotonic()
        try:
            with self._clock.asking(candidate.box, function, limit=limit):
                candidate.box.channel.send(request)
                answer = candidate.box.channel.receive()
        except ChannelClosed:
            lasted_s = time.monotonic() - began
            end = or_hang(end_of(candidate.box), lasted_s=lasted_s, limit_s=limit)
            self._drop(candidate)
            raise self._ended(function, end, limit, said=candidate.box.output()) from None
        except ProtocolViolation:
            self._drop(candidate)
            raise SubmissionEnded(function, Verdict.CRASHED) from None
        self._charge({request.kind: testimony.read_cpu_s(answer)})
        return answer

    def _ended(self, function: str | None, end: End | None, limit: float, *, said: bytes) -> SubmissionEnded:
        """What the end means: whatever it was, it is the submission's doing, whose code ran there."""
        verdict = verdict_of(end)
        told = self._clock.expired(function, limit) if verdict is Verdict.TIMED_OUT else None
        return SubmissionEnded(function, verdict, told, frame=hangs.innermost(said, self._names))

    def _drop(self, candidate: _Candidate) -> None:
        if self._running.get(candidate.place) is candidate:
            del self._running[candidate.place]
        candidate.box.close()


def _undisturbed(function: str | None, work: Callable[[], _Work]) -> _Work:
    """Do `work`, again after a kill from outside. A second kill is not chance: code may kill itself."""
    try:
        return work()
    except KilledFromOutside:
        pass
    try:
        return work()
    except KilledFromOutside:
        raise SubmissionEnded(function, Verdict.CRASHED) from None
