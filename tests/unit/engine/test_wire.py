"""Assignments, files and wishes arrive at the examiner as the engine had them."""

from __future__ import annotations

import json
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest

from grader.domain.errors import AssignmentInvalid, EngineFault, GraderError, NotFound, SealUnavailable
from grader.domain.rubric import Assignment, FunctionSpec, Limits
from grader.domain.submission import SourceFile, SubmittedFiles
from grader.domain.verdicts import Visibility
from grader.engine import wire
from grader.engine.protocol import Message

ASSIGNMENT = Assignment(
    slug="small",
    title="Ein kleines Übungsblatt",
    version="0" * 64,
    root=Path("/courses/small"),
    entry="submission.py",
    functions=(FunctionSpec(name="f"), FunctionSpec(name="g", static=("n",))),
    limits=Limits(load_s=1.5, check_s=2, attempt_s=3, memory_mib=512, output_kib=4),
    queue="gpu",
)


def travelled(data: Any) -> Any:  # noqa: ANN401 - any JSON
    return json.loads(json.dumps(data, allow_nan=False))


def test_an_assignment_arrives():
    assert wire.load_assignment(travelled(wire.dump_assignment(ASSIGNMENT))) == ASSIGNMENT


def test_what_the_examiner_does_not_need_stays_at_home():
    told = wire.dump_assignment(ASSIGNMENT)
    needed = {"slug", "title", "version", "root", "entry", "functions", "limits", "queue", "answers"}
    assert told.keys() == needed
    assert Fraction(0) == wire.load_assignment(told).starter_earns


def test_files_arrive_with_every_character():
    files = SubmittedFiles(
        entry="a.py",
        files=(SourceFile(name="a.py", text="x = 'é\r\n\t\x00\udc80'"), SourceFile(name="b/c.py", text="")),
    )
    assert wire.load_files(travelled(wire.dump_files(files))) == files


@pytest.mark.parametrize("only", [None, frozenset(), frozenset({Visibility.VISIBLE, Visibility.HIDDEN})])
def test_the_visibilities_asked_for_arrive(only: frozenset[Visibility] | None):
    assert wire.load_only(travelled(wire.dump_only(only))) == only


@pytest.mark.parametrize(
    "error",
    [
        AssignmentInvalid(Path("/courses/small/rubric"), "it has no checks.", "Write one."),
        SealUnavailable("Landlock", "the kernel lacks it.", "Use a newer one."),
        EngineFault("the examiner ended"),
    ],
)
def test_a_refusal_arrives_as_the_error_that_was_raised(error: GraderError) -> None:
    sent = wire.refusal(error)
    received = wire.refused(Message(kind=sent.kind, data=travelled(sent.data)))
    assert type(received) is type(error)
    assert str(received) == str(error)


def test_a_refusal_of_another_kind_arrives_as_the_engines_fault() -> None:
    received = wire.refused(wire.refusal(NotFound("assignment", "x")))
    assert type(received) is EngineFault
    assert "no assignment named 'x'" in str(received)
