"""One attempt as the rubric's checks see it: ask the candidate, ask the bench, within limits.

This is the part of the engine that `rubrics` builds on. A check asks for a traced or direct call of a
function and gets a program and observations; it has the bench run programs on inputs the candidate never saw.
Whatever ends a process on the way (a hang, a crash, too much memory) surfaces as `SubmissionEnded` in the
check that was waiting; the next check finds fresh processes.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from contextlib import AbstractContextManager
from typing import Any, TypeVar

from grader.domain.rubric import Assignment
from grader.domain.submission import SubmittedFiles
from grader.domain.text import head_and_tail
from grader.engine.bench.answers import Evaluation, ProgramFacts, SpreadEvaluation
from grader.engine.bench.keyfindings import KeyLog
from grader.engine.bench.raceresult import RaceResult
from grader.engine.bench_side import BenchHost, BenchSide
from grader.engine.candidate_side import CandidateSide
from grader.engine.clocks import SUSPECT_LIMIT_S, Clock
from grader.engine.endings import LoadFailed, SubmissionEnded, SubmissionRaised
from grader.engine.layouts import Layout, as_json
from grader.engine.policy import Launcher
from grader.engine.protocol import Leaf
from grader.engine.questions import CallInputs, Question, Tracing
from grader.engine.testimony import (
    EagerCall,
    Fault,
    FollowedCall,
    Frame,
    FunctionFound,
    InputsAfter,
    Loaded,
    PlacedCall,
    Seen,
    TracedCall,
)

__all__ = [
    "SUSPECT_LIMIT_S",
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
    "PlacedCall",
    "Seen",
    "Session",
    "SubmissionEnded",
    "SubmissionRaised",
    "TracedCall",
    "Tracing",
]

_AS_IT_IS = Tracing()

_Answer = TypeVar("_Answer", TracedCall, EagerCall, FollowedCall, PlacedCall)


class Session:
    """One attempt. Not thread-safe: checks run one after the other. `Clock` says how time is counted."""

    def __init__(
        self, *, files: SubmittedFiles, assignment: Assignment, launcher: Launcher, host: BenchHost
    ) -> None:
        self.files, self.assignment = files, assignment
        self.limits = assignment.limits
        self.flags: list[str] = []
        """What in this attempt wants a look by staff, whatever its verdicts."""
        self.cost: defaultdict[str, float] = defaultdict(float)
        """CPU seconds by stage, as the processes themselves report them."""
        self._clock = Clock(self.limits)
        self._candidates = CandidateSide(
            files=files, assignment=assignment, launcher=launcher, clock=self._clock, charge=self._charge
        )
        self._bench = BenchSide(host=host, clock=self._clock, charge=self._charge, flag=self._flag)

    def begin_check(self) -> None:
        """Start the clock of the next check."""
        self._clock.begin_check()

    def at_most(self, seconds: float) -> AbstractContextManager[None]:
        """No request made inside may take longer, however much time is left to the check."""
        return self._clock.at_most(seconds)

    def printed(self) -> str:
        """What the submission wrote while it was loaded and called, head and tail."""
        return head_and_tail("".join(self._candidates.printed), self.limits.output_kib << 10)

    def notices(self) -> list[dict[str, Any]]:
        """Remarks about loading that its author should know and that cost nothing."""
        return [
            {
                "code": "load.stand_in",
                "message": f"{name} is not installed here; an object that does nothing took its place.",
                "line": None,
            }
            for name in self._candidates.stand_ins
        ]

    def close(self) -> None:
        """End every candidate of this attempt; never raises."""
        self._candidates.close()

    # --- the candidate -----------------------------------------------------------------------------------

    def loaded(self, world: int = 0) -> Loaded:
        """The submission as loaded in `world`; LoadFailed if it cannot be."""
        return self._candidates.loaded(world)

    def traced(
        self,
        function: str,
        inputs: CallInputs,
        *,
        world: int = 0,
        fingerprint: bool = False,
        program: bool = True,
        turn: int = 0,
        how: Tracing = _AS_IT_IS,
    ) -> TracedCall:
        """Call `function` on tracers; `how` may put it under a transformation or other settings of JAX.

        SubmissionRaised, SubmissionEnded or LoadFailed if that cannot be.
        """
        options = self._options(fingerprint=fingerprint, program=program, turn=turn) | how.options()
        return self._ask(TracedCall, "export", function, inputs, inputs.abstract(), world, options)

    def spread(
        self, function: str, inputs: CallInputs, *, devices: int, layouts: Sequence[Layout | None]
    ) -> TracedCall:
        """Call `function` on tracers of arrays that lie on so many simulated devices, all of them CPUs."""
        options = self._options(fingerprint=False, program=True, turn=0)
        options |= {"platforms": ["cpu"], "layouts": as_json(layouts)}
        return self._ask(
            TracedCall, "export", function, inputs, inputs.abstract(), 0, options, devices=devices
        )

    def placed(
        self, function: str, inputs: CallInputs, *, devices: int, layouts: Sequence[Layout | None]
    ) -> PlacedCall:
        """Really run `function` among so many simulated devices. Hearsay: a candidate could lie."""
        options = {"how": "placed", "layouts": as_json(layouts)}
        return self._ask(PlacedCall, "call", function, inputs, inputs.leaves, 0, options, devices=devices)

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
        return tuple(self._candidates.seen.get(function, ()))

    @property
    def platforms(self) -> tuple[str, ...]:
        """Platforms that programs are exported for."""
        return ("cuda",) if self.assignment.queue == "gpu" else ("cpu",)

    def _options(self, *, fingerprint: bool, program: bool, turn: int) -> dict[str, Any]:
        return {
            "fingerprint": fingerprint,
            "program": program,
            "platforms": list(self.platforms),
            "turn": turn,
        }

    def _ask(
        self,
        kind: type[_Answer],
        request: str,
        function: str,
        inputs: CallInputs,
        leaves: tuple[Leaf, ...],
        world: int,
        options: Mapping[str, Any],
        *,
        devices: int = 1,
    ) -> _Answer:
        answer = self._candidates.ask(
            Question(
                kind=request,
                function=function,
                inputs=inputs,
                leaves=leaves,
                world=world,
                options=options,
                devices=devices,
            )
        )
        assert isinstance(answer, kind)  # noqa: S101 - `Question.read` sees to it
        return answer

    # --- the bench ---------------------------------------------------------------------------------------

    def inspect(self, function: str | None, program: bytes) -> ProgramFacts:
        """Facts about a program, verified but not run. ProgramRefused if the bench will not have it."""
        return self._bench.inspect(function, program)

    def evaluate(self, function: str | None, program: bytes, sets: Sequence[Sequence[Leaf]]) -> Evaluation:
        """Outputs of a program for each set of flat inputs."""
        return self._bench.evaluate(function, program, sets)

    def evaluate_spread(
        self, function: str, program: bytes, inputs: Sequence[Leaf], layouts: Sequence[Layout | None]
    ) -> SpreadEvaluation:
        """Outputs of a program made for several devices, and where they lie."""
        return self._bench.evaluate_spread(function, program, inputs, layouts)

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
        return self._bench.key_log(function, program, inputs, key_inputs=key_inputs, key_outputs=key_outputs)

    def race(
        self,
        function: str,
        lanes: Mapping[str, bytes],
        sets: Sequence[Sequence[Leaf]],
        *,
        at_least: float,
        alone: bool = False,
    ) -> RaceResult:
        """Time programs against each other on the same inputs, interleaved, by the bench's clock.

        `alone` waits for a moment in which no other race of this machine runs.
        """
        return self._bench.race(function, lanes, sets, at_least=at_least, alone=alone)

    def _charge(self, cost: Mapping[str, float]) -> None:
        for stage, seconds in cost.items():
            self.cost[stage] += seconds

    def _flag(self, text: str) -> None:
        if text not in self.flags:
            self.flags.append(text)
