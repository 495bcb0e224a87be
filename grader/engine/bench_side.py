"""A session's dealings with the bench: what runs there is a program, and its end is judged by facts.

Running out of time or memory is the program's own doing, told by a clock, the watcher or the control group.
Anything else that ends the bench says nothing sure about the program, as no student's Python runs there and
it had been verified: the check is not graded, and staff are told. Only bytes of which the bench dies twice
before it could verify them are the submission's crash: an honest export does not do that.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from contextlib import ExitStack
from typing import Protocol, TypeVar

from grader.domain.errors import EngineFault, ProtocolViolation
from grader.domain.verdicts import Verdict
from grader.engine.bench import client
from grader.engine.bench.answers import Evaluation, How, ProgramFacts, SpreadEvaluation
from grader.engine.bench.keyfindings import KeyLog
from grader.engine.bench.raceresult import RaceResult
from grader.engine.clocks import Clock
from grader.engine.endings import KilledFromOutside, SubmissionEnded, end_of, told, verdict_of
from grader.engine.layouts import Layout
from grader.engine.policy import Box, End
from grader.engine.protocol import ChannelClosed, Leaf
from grader.engine.solitude import racing

_Work = TypeVar("_Work")


class BenchHost(Protocol):
    """Whoever owns the warm bench and may replace it."""

    def bench(self) -> Box: ...

    def drop_bench(self) -> None: ...


class _BenchDied(EngineFault):
    """The bench ended for a reason that is neither time nor memory."""


class BenchSide:
    """The bench as one attempt uses it. `flag` tells staff what wants a look."""

    def __init__(
        self,
        *,
        host: BenchHost,
        clock: Clock,
        charge: Callable[[Mapping[str, float]], None],
        flag: Callable[[str], None],
    ) -> None:
        self._host, self._clock, self._charge, self._flag = host, clock, charge, flag
        self._facts: dict[bytes, ProgramFacts] = {}

    def inspect(self, function: str | None, program: bytes) -> ProgramFacts:
        """Facts about a program, verified but not run. ProgramRefused if the bench will not have it."""
        if program not in self._facts:
            self._facts[program] = self._inspected(function, program)
        return self._facts[program]

    def evaluate(self, function: str | None, program: bytes, sets: Sequence[Sequence[Leaf]]) -> Evaluation:
        """Outputs of a program for each set of flat inputs.

        The interpreter may end its process on an operation it does not know; the program is then compiled.
        """
        try:
            done = self._ask(function, lambda line: client.evaluate(line, program, sets))
        except _BenchDied:
            done = self._judged(
                function, program, lambda line: client.evaluate(line, program, sets, how=How.COMPILE)
            )
        self._charge(done.cost)
        return done

    def evaluate_spread(
        self, function: str, program: bytes, inputs: Sequence[Leaf], layouts: Sequence[Layout | None]
    ) -> SpreadEvaluation:
        """Outputs of a program made for several devices, and where they lie."""
        done = self._ask(function, lambda line: client.evaluate_spread(line, program, inputs, layouts))
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
        log = self._judged(
            function,
            program,
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
        alone: bool,
    ) -> RaceResult:
        """Time programs against each other on the same inputs, interleaved, by the bench's clock.

        `alone` waits for a moment in which no other race of this machine runs.
        """
        with ExitStack() as turn:
            with self._clock.waiting():
                turn.enter_context(racing(alone=alone))
            result = self._judged(
                function, lanes["submission"], lambda line: client.race(line, lanes, sets, at_least=at_least)
            )
        self._charge(result.cost)
        return result

    # --- who is to blame ---------------------------------------------------------------------------------

    def _inspected(self, function: str | None, program: bytes) -> ProgramFacts:
        def work(line: client.Line) -> ProgramFacts:
            return client.inspect(line, program)

        try:
            return self._ask(function, work)
        except _BenchDied:
            pass
        try:
            return self._ask(function, work)
        except _BenchDied:
            if function is None:  # a program of the course's own
                raise
            raise SubmissionEnded(function, Verdict.CRASHED) from None

    def _judged(self, function: str | None, program: bytes, work: Callable[[client.Line], _Work]) -> _Work:
        """`work` on the bench; if that dies of it, see whether it was `program`, which cannot be verified."""
        try:
            return self._ask(function, work)
        except _BenchDied as died:
            self.inspect(function, program)
            self._flag(f"{died}; {function} was not graded by this check")
            raise

    # --- one request -------------------------------------------------------------------------------------

    def _ask(self, function: str | None, work: Callable[[client.Line], _Work]) -> _Work:
        """`work` on the bench within this check's time, again after a kill from outside."""
        try:
            return self._once(function, work)
        except KilledFromOutside:
            pass
        try:
            return self._once(function, work)
        except KilledFromOutside:
            self._flag(f"the bench was killed from outside twice; {function} was not graded by this check")
            raise EngineFault(
                f"the bench was killed twice from outside while it ran the program of {function}; "
                "the machine may be short of memory."
            ) from None

    def _once(self, function: str | None, work: Callable[[client.Line], _Work]) -> _Work:
        limit = self._clock.limit(function)
        box = self._host.bench()
        try:
            with self._clock.asking(box, function, limit=limit):
                return work(box.channel)
        except (ChannelClosed, ProtocolViolation) as exc:
            end = end_of(box) if isinstance(exc, ChannelClosed) else None
            self._host.drop_bench()
            raise self._ended(function, end, limit) from None

    def _ended(self, function: str | None, end: End | None, limit: float) -> Exception:
        verdict = verdict_of(end)
        if verdict is Verdict.CRASHED:
            return _BenchDied(f"the bench ended ({told(end)}) while it ran the program of {function}")
        limit_told = self._clock.expired(function, limit) if verdict is Verdict.TIMED_OUT else None
        return SubmissionEnded(function, verdict, limit_told)
