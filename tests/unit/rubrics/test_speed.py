"""Speed is judged for right results only, and a loop that is written out is told apart from a hang."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from types import SimpleNamespace
from typing import cast

import numpy as np
import pytest

from grader.domain.catalogue import render
from grader.domain.errors import ProgramRefused
from grader.domain.rubric import FunctionSpec
from grader.domain.verdicts import Verdict
from grader.engine.bench.raceresult import Basis, Lane, RaceResult
from grader.engine.protocol import Leaf, LeafKind
from grader.engine.session import FunctionFound, Loaded, Seen, Session, SubmissionEnded, TracedCall
from grader.engine.statistics import Pace
from rubrics.checks import speed
from rubrics.drawing import Draw
from rubrics.failures import CheckFailed
from rubrics.reference import CourseFunction
from rubrics.specs import f32
from rubrics.subject import Subject
from tests.unit.rubrics.sources import source_of, text_at

LOOP = "def f(x):\n    total = 0\n    for v in x:\n        total += v\n    return total\n"
HANG = "def f(x):\n    for v in x:\n        while True:\n            pass\n"
PLAIN = "def f(x):\n    return x.sum()\n"
TIMED_OUT = SubmissionEnded("f", Verdict.TIMED_OUT, 20)
CASE = Draw("seed", "check")(f32[3])
COURSE = CourseFunction(lambda x: x.sum(), ())


def no_result(*_: object, **__: object) -> RaceResult:
    raise AssertionError("nothing should be timed")


def raising(exc: Exception) -> Callable[..., RaceResult]:
    def race(*_: object, **__: object) -> RaceResult:
        raise exc

    return race


class StandIn:
    """A session that ends as told, and knows how long tracing was allowed to take."""

    platforms = ("cpu",)

    def __init__(
        self,
        code: str,
        *,
        tracing: SubmissionEnded | None = None,
        program: bytes = b"",
        race: Callable[..., RaceResult] = no_result,
    ) -> None:
        self.source = source_of(code)
        self.files = self.source._files
        self._tracing, self._program, self.race = tracing, program, race
        self.caps: list[float] = []

    def loaded(self) -> Loaded:
        return Loaded(
            functions={"f": FunctionFound(callable=True, parameters=None, line=None)},
            stand_ins=(),
            seen=Seen(),
        )

    @contextmanager
    def at_most(self, seconds: float) -> Iterator[None]:
        self.caps.append(seconds)
        yield

    def traced(self, *_: object) -> TracedCall:
        if self._tracing is not None:
            raise self._tracing
        return cast(TracedCall, SimpleNamespace(program=self._program))

    def subject(self) -> Subject:
        return Subject(
            spec=FunctionSpec(name="f"),
            parameters=("x",),
            session=cast(Session, self),
            source=self.source,
            reference=COURSE,
        )


def verdict_of(session: StandIn) -> CheckFailed:
    with pytest.raises(CheckFailed) as caught:
        speed.is_faster_than(session.subject(), COURSE, COURSE, at_least=2, case=CASE)
    return caught.value


@pytest.mark.parametrize(
    "session",
    [
        pytest.param(StandIn(LOOP, tracing=TIMED_OUT), id="too long to trace"),
        pytest.param(
            StandIn(LOOP, program=bytes(speed.WRITTEN_OUT + 1), race=raising(TIMED_OUT)),
            id="too long to compile",
        ),
        pytest.param(StandIn(LOOP, race=raising(ProgramRefused("too_large", "ops"))), id="too large"),
    ],
)
def test_a_loop_that_is_written_out_is_the_failure_at_its_own_line(session: StandIn):
    failure = verdict_of(session)
    assert (failure.feedback.code, failure.verdict) == ("jit.python_loop", Verdict.FAILED)
    assert text_at(session.source, failure.spot) == "for v in x:"
    assert render(failure.feedback).lesson == "#speed"


def test_a_program_with_a_loop_is_traced_in_a_part_of_the_time():
    session = StandIn(LOOP, tracing=TIMED_OUT)
    verdict_of(session)
    assert session.caps == [speed.TRACING_S]


@pytest.mark.parametrize(
    "session",
    [
        pytest.param(StandIn(PLAIN, tracing=TIMED_OUT), id="no loop"),
        pytest.param(StandIn(HANG, tracing=TIMED_OUT), id="a loop that may never end"),
        pytest.param(StandIn(LOOP, race=raising(TIMED_OUT)), id="a short program that runs long"),
        pytest.param(StandIn(LOOP, tracing=SubmissionEnded("f", Verdict.CRASHED)), id="a crash"),
    ],
)
def test_any_other_end_stays_what_it_is(session: StandIn):
    with pytest.raises(SubmissionEnded):
        speed.is_faster_than(session.subject(), COURSE, COURSE, at_least=2, case=CASE)


def test_a_program_without_a_loop_that_is_too_large_is_called_that():
    session = StandIn(PLAIN, race=raising(ProgramRefused("too_large", "ops")))
    assert verdict_of(session).feedback.code == "jit.too_large"


class Races:
    """Races that were run before: the ratios of each are told, 20 is asked for."""

    def __init__(self, *found: list[float]) -> None:
        self._found = found
        self.alone: list[bool] = []

    def __call__(self, *, alone: bool) -> RaceResult:
        ratios = self._found[len(self.alone)]
        self.alone.append(alone)
        lanes = {
            name: Lane(cpu_s=seconds, wall_s=seconds, repeats=1, compile_s=0)
            for name, seconds in {
                speed.SUBMISSION: (1.0,) * len(ratios),
                speed.RIVAL: tuple(ratios),
            }.items()
        }
        return RaceResult(lanes=lanes, basis=Basis.CPU, outputs={}, last_set=0, switches=0, cost={})


FAST, SLOW, NOISY, CLOSE = [50.0] * 8, [5.0] * 8, [10.0, 40.0] * 4, [19.0, 21.0] * 4


@pytest.mark.parametrize(
    "found, pace",
    [
        pytest.param([FAST], Pace.FASTER, id="a clear win stands"),
        pytest.param([SLOW], Pace.SLOWER, id="a clear loss stands"),
        pytest.param([NOISY, SLOW], Pace.SLOWER, id="noise is measured again, and the second counts"),
        pytest.param([NOISY, NOISY], Pace.UNCERTAIN, id="noise twice is no verdict"),
        pytest.param([CLOSE], Pace.UNCERTAIN, id="what is close stays close"),
        pytest.param([NOISY, CLOSE], Pace.UNCERTAIN, id="noise, then close"),
    ],
)
def test_a_race_is_run_again_alone_and_only_where_noise_was_the_reason(found: list[list[float]], pace: Pace):
    races = Races(*found)
    result, decision = speed.settled(races, at_least=20)
    assert decision.pace is pace
    assert races.alone == [False, True][: len(found)]
    assert result.decision(at_least=20) == decision


def test_wrong_results_are_not_judged_for_their_speed():
    leaf, wrong = (Leaf.of(np.asarray(value, np.float32), kind=LeafKind.JAX) for value in (1, 2))
    outputs = {speed.SUBMISSION: (wrong,), speed.REFERENCE: (leaf,)}
    result = RaceResult.__new__(RaceResult)
    object.__setattr__(result, "outputs", outputs)
    with pytest.raises(CheckFailed) as caught:
        speed._right_while_timed(StandIn(PLAIN).subject(), result)
    assert caught.value.feedback.code == "jit.speed_not_judged"
    shown = render(caught.value.feedback)
    assert "result[0]" not in shown.message
    assert shown.title == "Speed is judged for right results only"
