"""An error that only tracing brings about is told as such: a plain call would not show it."""

from __future__ import annotations

from types import SimpleNamespace
from typing import cast

import pytest

from grader.domain.catalogue import render
from grader.domain.rubric import FunctionSpec
from grader.domain.verdicts import Verdict
from grader.engine.session import (
    EagerCall,
    Fault,
    Frame,
    FunctionFound,
    Loaded,
    Seen,
    Session,
    SubmissionEnded,
    SubmissionRaised,
)
from rubrics.drawing import Draw
from rubrics.failures import CheckFailed
from rubrics.reference import CourseFunction
from rubrics.specs import f32
from rubrics.subject import Subject
from tests.unit.rubrics.sources import source_of

CODE = "def f(x):\n    return x.addressable_shards[0].data\n"
CASE = Draw("seed", "check")(f32[3])
OWN = Fault(type="OSError", text="no shards", frames=(Frame(file="submission.py", line=2, function="f"),))
KNOWN = Fault(type="TracerBoolConversionError", text="Attempted boolean conversion")


class StandIn:
    """A session in which tracing raises, and a plain call ends as told."""

    def __init__(self, tracing: Fault, *, plain: Exception | None) -> None:
        self.source = source_of(CODE)
        self.files = self.source._files
        self._tracing, self._plain = tracing, plain
        self.plain_calls = 0

    def loaded(self) -> Loaded:
        found = FunctionFound(callable=True, parameters=None, line=None)
        return Loaded(functions={"f": found}, stand_ins=(), seen=Seen())

    def traced(self, *_: object) -> None:
        raise SubmissionRaised("f", self._tracing)

    def eager(self, *_: object, world: int) -> EagerCall:
        assert world
        self.plain_calls += 1
        if self._plain is not None:
            raise self._plain
        return cast(EagerCall, SimpleNamespace())

    def failure(self) -> CheckFailed:
        subject = Subject(
            spec=FunctionSpec(name="f"),
            parameters=("x",),
            session=cast(Session, self),
            source=self.source,
            reference=CourseFunction(lambda x: x, ()),
        )
        with pytest.raises(CheckFailed) as caught:
            subject.traced(CASE)
        return caught.value


def test_an_error_that_plain_calls_do_not_have_is_said_to_come_of_tracing():
    failure = StandIn(OWN, plain=None).failure()
    assert (failure.feedback.code, failure.feedback.line) == ("jit.raises_when_traced", 2)
    message = render(failure.feedback).message
    assert "Called plainly, `f` works" in message
    assert "`OSError` (line 2 of submission.py): no shards" in message


@pytest.mark.parametrize("plain", [SubmissionRaised("f", OWN), SubmissionEnded("f", Verdict.TIMED_OUT, 5)])
def test_an_error_that_plain_calls_have_too_is_just_an_error(plain: Exception):
    assert StandIn(OWN, plain=plain).failure().feedback.code == "call.raised"


def test_an_error_that_explains_itself_costs_no_other_call():
    session = StandIn(KNOWN, plain=None)
    assert session.failure().feedback.code == "jit.tracer_bool"
    assert session.plain_calls == 0
