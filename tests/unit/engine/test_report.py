"""From pytest's report to verdicts: a pass is believed only if everything about it adds up."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import pytest

from grader.domain.results import CheckResult
from grader.domain.rubric import CheckSpec
from grader.domain.verdicts import Blame, Family, Verdict
from grader.engine.report import JUDGEMENT, read_judgement, read_report, unfinished


def spec(name: str = "works") -> CheckSpec:
    return CheckSpec(
        id=f"f.values.{name}",
        node_id=f"test_f.py::test_{name}",
        title="It works.",
        family=Family.VALUES,
        function="f",
        points=Fraction(2),
    )


def judged(verdict: str = "passed", **fields: object) -> dict[str, Any]:
    blame = None if verdict == "passed" else "student"
    feedback = (
        None if verdict == "passed" else {"code": "values.differ", "params": {}, "file": None, "line": 3}
    )
    return {"verdict": verdict, "blame": blame, "feedback": feedback, "evidence": [], "flags": [], **fields}


def entry(
    name: str = "works", *, outcome: str = "passed", decided: object = None, **fields: object
) -> dict[str, Any]:
    return {
        "nodeid": f"test_f.py::test_{name}",
        "outcome": outcome,
        "setup": {"duration": 0.25, "outcome": "passed"},
        "call": {"duration": 0.5, "outcome": outcome},
        "teardown": {"duration": 0.25, "outcome": "passed"},
        "user_properties": [{JUDGEMENT: judged() if decided is None else decided}],
        **fields,
    }


def read(*tests: dict[str, Any], exit_code: int = 0) -> CheckResult:
    (result,) = read_report({"tests": list(tests)}, exit_code=exit_code, expected=[spec()])
    return result


def is_the_courses(result: CheckResult, *, saying: str) -> None:
    """The check is not graded, and nobody loses a point."""
    assert (result.verdict, result.blame, result.earned) == (Verdict.INTERNAL_ERROR, Blame.COURSE, None)
    assert result.feedback is not None
    assert saying in str(result.feedback.params["reason"])


def test_a_pass_that_adds_up_is_a_pass():
    result = read(entry())
    assert (result.verdict, result.earned, result.seconds) == (Verdict.PASSED, 2, 1.0)


def test_the_cpu_time_that_the_plugin_noted_is_kept_and_zero_where_it_noted_none():
    assert read(entry(decided={**judged(), "cpu_s": 0.125})).cpu_s == 0.125
    assert read(entry()).cpu_s == 0


def test_a_failure_keeps_its_feedback_and_evidence():
    evidence = [{"kind": "output", "data": {"text": "hello"}}]
    decided = judged("failed", evidence=evidence, flags=["odd"])
    result = read(entry(outcome="failed", decided=decided), exit_code=1)
    assert (result.verdict, result.blame, result.earned) == (Verdict.FAILED, Blame.STUDENT, 0)
    assert result.feedback is not None
    assert (result.feedback.code, result.feedback.line) == ("values.differ", 3)
    assert result.evidence[0].data == {"text": "hello"}
    assert result.flags == ("odd",)


def test_an_early_exit_recorded_as_passed_is_no_pass():
    """pytest-json-report records a KeyboardInterrupt or `pytest.exit` as passed, without a call stage."""
    early = entry(user_properties=[])
    del early["call"]
    is_the_courses(read(early), saying="no judgement")


def test_a_judgement_without_a_passed_call_is_no_pass():
    early = entry()
    del early["call"]
    is_the_courses(read(early), saying="the check says passed")


def test_a_teardown_that_failed_is_no_pass():
    is_the_courses(read(entry(outcome="error", call={"outcome": "passed"})), saying="pytest says error")


def test_a_pass_that_the_check_calls_a_failure_is_neither():
    is_the_courses(read(entry(decided=judged("failed"))), saying="the check says failed")


@pytest.mark.parametrize("outcome", ["skipped", "xfailed", "xpassed"])
def test_a_skipped_check_is_no_pass(outcome: str):
    is_the_courses(read(entry(outcome=outcome, user_properties=[])), saying="no judgement")


def test_a_check_that_is_missing_is_not_graded():
    is_the_courses(read(), saying="reported 0 times")


def test_a_check_that_was_reported_twice_is_not_graded():
    is_the_courses(read(entry(), entry()), saying="reported 2 times")


def test_checks_that_nobody_expects_change_nothing():
    assert read(entry("other"), entry()).verdict is Verdict.PASSED


def test_two_judgements_are_none():
    doubled = entry(user_properties=[{JUDGEMENT: judged()}, {JUDGEMENT: judged()}])
    is_the_courses(read(doubled), saying="no judgement")


@pytest.mark.parametrize("exit_code", [2, 3, 4, 5, -9, 137])
def test_an_exit_code_that_is_not_orderly_voids_every_pass(exit_code: int):
    is_the_courses(read(entry(), exit_code=exit_code), saying=f"exit code {exit_code}")


def test_exit_code_one_is_orderly_as_other_checks_may_fail():
    assert read(entry(), exit_code=1).verdict is Verdict.PASSED


def test_a_check_that_crashed_is_told_from_one_that_failed():
    crashed = entry(
        outcome="failed",
        user_properties=[],
        call={"outcome": "failed", "crash": {"message": "ZeroDivisionError: division by zero"}},
    )
    is_the_courses(read(crashed, exit_code=1), saying="ZeroDivisionError")


def test_no_report_at_all_means_that_nothing_is_graded():
    (result,) = read_report({}, exit_code=0, expected=[spec()])
    is_the_courses(result, saying="reported 0 times")


@pytest.mark.parametrize(
    "decided",
    [
        "passed",
        {},
        {"verdict": "great"},
        judged(blame="the weather"),
        judged(evidence=[{"kind": "rumour", "data": {}}]),
        judged("failed", feedback={"code": "x", "words": "unknown"}),
        judged(evidence=None),
    ],
)
def test_a_malformed_judgement_is_not_graded(decided: object):
    outcome = "failed" if isinstance(decided, dict) and decided.get("verdict") == "failed" else "passed"
    is_the_courses(read(entry(decided=decided, outcome=outcome)), saying="judgement")


@pytest.mark.parametrize("tests", [None, "tests", [None], [{}], [{"nodeid": 3}]])
def test_a_malformed_report_grades_nothing(tests: object):
    (result,) = read_report({"tests": tests}, exit_code=0, expected=[spec()])
    is_the_courses(result, saying="reported 0 times")


def test_results_come_in_the_order_of_the_rubric():
    expected = [spec("b"), spec("a"), spec("c")]
    results = read_report({"tests": [entry("a"), entry("b")]}, exit_code=0, expected=expected)
    assert [result.spec.id for result in results] == ["f.values.b", "f.values.a", "f.values.c"]
    assert [result.verdict is Verdict.PASSED for result in results] == [True, True, False]


def test_a_judgement_of_the_suites_fault_is_the_courses():
    decided = judged("internal_error", blame="course")
    result = read(entry(outcome="failed", decided=decided), exit_code=1)
    assert (result.verdict, result.blame, result.earned) == (Verdict.INTERNAL_ERROR, Blame.COURSE, None)


def test_an_inconclusive_check_keeps_its_points():
    decided = judged("inconclusive", blame="system")
    assert read(entry(outcome="failed", decided=decided), exit_code=1).earned == 2


def test_an_unfinished_check_is_the_systems_fault():
    result = unfinished(spec(), "the examiner ended")
    assert (result.verdict, result.blame, result.earned) == (Verdict.INTERNAL_ERROR, Blame.SYSTEM, None)


def test_a_judgement_reads_alike_during_and_after_the_attempt():
    assert read_judgement(spec(), judged(), seconds=1.0) == read(entry())
