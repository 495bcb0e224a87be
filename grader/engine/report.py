"""The only place that knows pytest-json-report's format: from a report to verdicts, believing little.

The report is written by the examiner, in a process that holds no student code. Even so a pass needs the
``call`` stage to have passed, a judgement recorded by the rubric plugin that says so, exactly the expected
checks, and an exit code of 0 or 1; whatever does not add up becomes `internal_error`, which costs nobody a
point.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from grader.domain.results import CheckResult, Evidence, EvidenceKind, Feedback
from grader.domain.rubric import CheckSpec
from grader.domain.verdicts import Blame, Verdict

JUDGEMENT = "judgement"
"""Name of the user property in which the rubric plugin records what a check decided."""

_ORDERLY_EXITS = (0, 1)


def read_report(
    report: Mapping[str, Any], *, exit_code: int, expected: Sequence[CheckSpec]
) -> tuple[CheckResult, ...]:
    """One result for each expected check, in that order."""
    tests: dict[str, list[Mapping[str, Any]]] = {}
    for test in _list(report.get("tests")):
        if isinstance(test, Mapping):
            tests.setdefault(str(test.get("nodeid")), []).append(test)
    if exit_code not in _ORDERLY_EXITS:
        reason = f"the rubric suite ended with exit code {exit_code}"
        return tuple(_internal(spec, Blame.COURSE, reason) for spec in expected)
    return tuple(_result(spec, tests.get(spec.node_id, ())) for spec in expected)


def unfinished(spec: CheckSpec, reason: str) -> CheckResult:
    """The result of a check that was never judged because a trusted process failed."""
    return _internal(spec, Blame.SYSTEM, reason)


def _result(spec: CheckSpec, reports: Sequence[Mapping[str, Any]]) -> CheckResult:
    if len(reports) != 1:
        return _internal(spec, Blame.COURSE, f"the check was reported {len(reports)} times")
    test = reports[0]
    judgement = _judgement(test)
    if judgement is None:
        return _internal(spec, Blame.COURSE, _crash_of(test))
    try:
        result = read_judgement(spec, judgement, seconds=_seconds(test))
    except (KeyError, TypeError, ValueError, AttributeError) as exc:
        return _internal(spec, Blame.COURSE, f"the check recorded a malformed judgement: {exc!r}"[:300])
    passed = test.get("call", {}).get("outcome") == "passed" and test.get("outcome") == "passed"
    if passed != (result.verdict is Verdict.PASSED):
        said = f"pytest says {test.get('outcome')}, the check says {result.verdict}"
        return _internal(spec, Blame.COURSE, said)
    return result


def read_judgement(spec: CheckSpec, judgement: Mapping[str, Any], *, seconds: float) -> CheckResult:
    """The result that a judgement (plain JSON, as the rubric plugin records it) stands for.

    KeyError, TypeError, ValueError or AttributeError if it is malformed.
    """
    feedback = judgement["feedback"]
    return CheckResult(
        spec=spec,
        verdict=Verdict(judgement["verdict"]),
        blame=None if judgement["blame"] is None else Blame(judgement["blame"]),
        feedback=None if feedback is None else Feedback(**feedback),
        evidence=tuple(
            Evidence(kind=EvidenceKind(item["kind"]), data=item["data"]) for item in judgement["evidence"]
        ),
        seconds=seconds,
        cpu_s=float(judgement.get("cpu_s", 0.0)),
        flags=tuple(judgement["flags"]),
    )


def _judgement(test: Mapping[str, Any]) -> Mapping[str, Any] | None:
    found = [entry[JUDGEMENT] for entry in _list(test.get("user_properties")) if JUDGEMENT in entry]
    return found[0] if len(found) == 1 else None


def _list(value: object) -> list[Any]:
    return value if isinstance(value, list) else []


def _crash_of(test: Mapping[str, Any]) -> str:
    for stage in ("setup", "call", "teardown"):
        crash = test.get(stage, {}).get("crash")
        if crash:
            return f"the check itself failed: {str(crash.get('message', ''))[:300]}"
    return "the check recorded no judgement"


def _internal(spec: CheckSpec, blame: Blame, reason: str) -> CheckResult:
    feedback = Feedback(code="grader.internal", params={"reason": reason})
    return CheckResult(spec=spec, verdict=Verdict.INTERNAL_ERROR, blame=blame, feedback=feedback)


def _seconds(test: Mapping[str, Any]) -> float:
    return sum(float(test.get(stage, {}).get("duration", 0.0)) for stage in ("setup", "call", "teardown"))
