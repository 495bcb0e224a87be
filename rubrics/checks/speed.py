"""Speed: the compiled program against the course's slow one, interleaved in the bench by a trusted clock.

The ratio is one of CPU times, so that other work on the machine cannot turn it. A verdict that noise would
allow to flip is measured once more, with no other race beside it; if it stays uncertain the points stay and
staff see a flag.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Protocol

from grader.domain.errors import ProgramFailed, ProgramRefused
from grader.domain.results import Evidence, EvidenceKind, JsonValue
from grader.domain.verdicts import Verdict
from grader.engine.bench.raceresult import RIVAL, SUBMISSION, RaceResult
from grader.engine.pressure import cpu_pressure
from grader.engine.session import SubmissionEnded
from grader.engine.statistics import Decision, Pace
from rubrics.checks.jit import AGREEMENT
from rubrics.comparing import Result, difference
from rubrics.drawing import Case
from rubrics.failures import CheckFailed, Inconclusive
from rubrics.programs import exported, program_inputs
from rubrics.reference import CourseFunction
from rubrics.subject import Subject

REFERENCE = "reference"
TRACING_S = 6.0
"""Wall limit for tracing a program with a Python loop: a right solution takes well under a second."""
WRITTEN_OUT = 64 << 10
"""Bytes of an exported program above which a Python loop in the source is why it compiles too long."""
NOT_JUDGED = "jit.speed_not_judged"
INPUT_SETS = 3
KEPT_SAMPLES = 40


class Race(Protocol):
    """Something that can be raced again, alone if need be."""

    def __call__(self, *, alone: bool) -> RaceResult: ...


def is_faster_than(
    subject: Subject, baseline: CourseFunction, reference: CourseFunction, *, at_least: float, case: Case
) -> Evidence:
    """The times as evidence, if the program is at least `at_least` times faster than the baseline."""
    result, decision = settled(
        lambda *, alone: _race(subject, baseline, reference, at_least=at_least, case=case, alone=alone),
        at_least=at_least,
    )
    _right_while_timed(subject, result)
    _right_when_called(subject, reference, case)
    evidence = _evidence(result, decision)
    params: dict[str, JsonValue] = {
        "function": subject.name,
        "ratio": _rounded(decision.ratio),
        "low": _rounded(decision.low),
        "high": _rounded(decision.high),
        "needed": _rounded(at_least),
    }
    if decision.pace is Pace.UNCERTAIN:
        raise Inconclusive("jit.speed_uncertain", params, evidence=(evidence,))
    if decision.pace is Pace.SLOWER:
        spot = subject.source.loop(subject.name) or subject.source.definition(subject.name)
        raise subject.failed("jit.too_slow", params, spot=spot, evidence=(evidence,))
    return evidence


def settled(race: Race, *, at_least: float) -> tuple[RaceResult, Decision]:
    """The race that counts, and its decision: the first, or one more, alone, where noise allows none.

    A race that found the ratio to lie close to the threshold is not run again: noise was not the reason.
    """
    result = race(alone=False)
    decision = result.decision(at_least=at_least)
    if decision.pace is Pace.UNCERTAIN and not decision.is_close:
        result = race(alone=True)
        decision = result.decision(at_least=at_least)
    return result, decision


def _race(
    subject: Subject,
    baseline: CourseFunction,
    reference: CourseFunction,
    *,
    at_least: float,
    case: Case,
    alone: bool,
) -> RaceResult:
    platforms = subject.session.platforms
    inputs = subject.inputs(case)
    program = _program(subject, case)
    lanes = {
        SUBMISSION: program,
        RIVAL: baseline.program(inputs, platforms),
        REFERENCE: reference.program(inputs, platforms),
    }
    sets = [program_inputs(subject.inputs(case.again())) for _ in range(INPUT_SETS)]
    try:
        return subject.session.race(subject.name, lanes, sets, at_least=at_least, alone=alone)
    except ProgramRefused as exc:
        raise _too_long(subject, written_out=exc.code == "too_large") or subject.refused(exc) from exc
    except ProgramFailed as exc:
        raise subject.gave_out(exc) from exc
    except SubmissionEnded as exc:
        long = exc.verdict is Verdict.TIMED_OUT and len(program) > WRITTEN_OUT
        raise _too_long(subject, written_out=long) or exc from exc


def _program(subject: Subject, case: Case) -> bytes:
    """The submission's program. One that a Python loop makes long ends the check before its time is over."""
    if subject.source.written_out(subject.name) is None:
        return exported(subject.traced(case))
    try:
        with subject.session.at_most(TRACING_S):
            return exported(subject.traced(case))
    except SubmissionEnded as exc:
        raise _too_long(subject, written_out=exc.verdict is Verdict.TIMED_OUT) or exc from exc


def _too_long(subject: Subject, *, written_out: bool) -> CheckFailed | None:
    """The failure of a program that is long because of a Python loop; None if that is not the reason."""
    spot = subject.source.written_out(subject.name) if written_out else None
    return None if spot is None else subject.failed("jit.python_loop", {}, spot=spot)


def _right_while_timed(subject: Subject, result: RaceResult) -> None:
    """What was timed must have been the work: the last timed outputs are those of the reference."""
    mine, theirs = (_flat(result, lane) for lane in (SUBMISSION, REFERENCE))
    found = difference(mine, theirs, tolerance=AGREEMENT)
    if found is not None:
        raise subject.failed(NOT_JUDGED, {}, spot=subject.source.returns(subject.name))


def _right_when_called(subject: Subject, reference: CourseFunction, case: Case) -> None:
    """What callers get must have been what was timed."""
    for called, found in subject.confirmed([case]):
        wrong = difference(found, reference.result(subject.inputs(called)), tolerance=AGREEMENT)
        if wrong is not None:
            raise subject.failed(NOT_JUDGED, {}, spot=subject.source.telltale(subject.name))


def _flat(result: RaceResult, lane: str) -> Result:
    leaves = result.outputs[lane]
    nodes = [{"t": "leaf", "i": index} for index in range(len(leaves))]
    return Result(structure={"t": "tuple", "c": nodes}, leaves=leaves)


def _evidence(result: RaceResult, decision: Decision) -> Evidence:
    names: Mapping[str, str] = {"student": SUBMISSION, "baseline": RIVAL, "reference": REFERENCE}
    data: dict[str, JsonValue] = {
        "unit": "s",
        "ratio": _rounded(decision.ratio),
        "low": _rounded(decision.low),
        "high": _rounded(decision.high),
        "needed": _rounded(decision.needed),
        "basis": result.basis.value,
        "compile_s": round(result.lanes[SUBMISSION].compile_s, 4),
        "pressure": cpu_pressure(),
        "switches": result.switches,
    }
    for label, lane in names.items():
        seconds = result.lanes[lane].seconds(result.basis)[:KEPT_SAMPLES]
        data[label] = [float(f"{sample:.4g}") for sample in seconds]
    return Evidence(kind=EvidenceKind.TIMING, data=data)


def _rounded(value: float) -> float:
    return float(f"{value:.3g}")
