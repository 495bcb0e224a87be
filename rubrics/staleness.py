"""Results of a jitted function that its static argument no longer stands for."""

from __future__ import annotations

from grader.engine.candidate.conditions import Condition
from grader.engine.session import SubmissionEnded, SubmissionRaised, Tracing
from rubrics.comparing import Result, Tolerance, difference
from rubrics.drawing import Case
from rubrics.failures import CheckFailed
from rubrics.source import Spot
from rubrics.subject import Subject


def static_argument(subject: Subject, case: Case, expected: Result, *, tolerance: Tolerance) -> Spot | None:
    """Where an argument is declared static, if the result is right as soon as nothing is jitted.

    JAX finds the program of a call by its static arguments' hash and equality. An object that changed, but
    is equal to what it was, gets the program of then.
    """
    spot = subject.source.jit_option(subject.name, "static_arg")
    if spot is None:
        return None
    how = Tracing(conditions=(Condition.NO_JIT,))
    try:
        traced = subject.session.traced(subject.name, subject.inputs(case), how=how)
        leaves = subject.outputs(traced, [subject.flat(case, traced)])[0]
    except (SubmissionRaised, SubmissionEnded, CheckFailed):
        return None
    unjitted = Result(structure=traced.structure, leaves=leaves)
    return spot if difference(unjitted, expected, tolerance=tolerance) is None else None
