"""The form in which results are stored: strict JSON that loses nothing.

Points are exact (an integer, or a text such as ``"7/2"``), and a document says its format, so that a result
stored by one release is read by the next. Only what JSON cannot write changes: a number that is not finite
becomes its name, as evidence writes it anyway.
"""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from typing import Any

from grader.domain.errors import StoredResultInvalid
from grader.domain.results import (
    AttemptResult,
    CheckResult,
    Environment,
    Evidence,
    EvidenceKind,
    Feedback,
)
from grader.domain.rubric import CheckSpec, Rubric
from grader.domain.strict_json import (
    JsonObject,
    environment_json,
    evidence_json,
    exact,
    notices_json,
    strict,
)
from grader.domain.submission import Notice
from grader.domain.verdicts import Blame, Family, Verdict, Visibility

FORMAT = 1
"""Version of the stored form. A reader takes every version up to its own."""


def dump(result: AttemptResult) -> JsonObject:
    """Everything in the result; `load` gives an equal one back."""
    return {
        "format": FORMAT,
        "assignment": result.assignment,
        "version": result.version,
        "rubric": [dump_spec(spec) for spec in result.rubric.checks],
        "results": [dump_check(check) for check in result.results],
        "environment": environment_json(result.environment),
        "seed": result.seed,
        "notices": notices_json(result.notices),
        "flags": list(result.flags),
        "output": result.output,
        "seconds": strict(result.seconds),
        "cost": strict(result.cost),
    }


def load(data: Mapping[str, Any]) -> AttemptResult:
    """The result that was stored; `StoredResultInvalid` says what is wrong with one that cannot be read."""
    found = data.get("format")
    if not isinstance(found, int) or not 1 <= found <= FORMAT:
        raise StoredResultInvalid(f"its format is {found!r}, and this release reads up to {FORMAT}")
    try:
        return _load(data)
    except (KeyError, TypeError, ValueError, AttributeError, ZeroDivisionError) as exc:
        raise StoredResultInvalid(f"{type(exc).__name__}: {exc}") from exc


def dump_spec(spec: CheckSpec) -> JsonObject:
    """A check as the suite declares it."""
    return {
        "id": spec.id,
        "node_id": spec.node_id,
        "title": spec.title,
        "family": spec.family.value,
        "function": spec.function,
        "points": exact(spec.points),
        "visibility": spec.visibility.value,
        "lesson": spec.lesson,
    }


def dump_check(check: CheckResult) -> JsonObject:
    """One check with its verdict."""
    feedback = check.feedback
    return {
        "spec": dump_spec(check.spec),
        "verdict": check.verdict.value,
        "blame": check.blame.value if check.blame else None,
        "feedback": None
        if feedback is None
        else {
            "code": feedback.code,
            "params": strict(feedback.params),
            "file": feedback.file,
            "line": feedback.line,
        },
        "evidence": evidence_json(check.evidence),
        "seconds": strict(check.seconds),
        "cpu_s": strict(check.cpu_s),
        "flags": list(check.flags),
    }


def _load(data: Mapping[str, Any]) -> AttemptResult:
    return AttemptResult(
        assignment=data["assignment"],
        version=data["version"],
        rubric=Rubric(checks=tuple(load_spec(spec) for spec in data["rubric"])),
        results=tuple(load_check(check) for check in data["results"]),
        environment=load_environment(data["environment"]),
        seed=data["seed"],
        notices=tuple(Notice(**notice) for notice in data["notices"]),
        flags=tuple(data["flags"]),
        output=data["output"],
        seconds=float(data["seconds"]),
        cost={stage: float(seconds) for stage, seconds in data["cost"].items()},
    )


def load_spec(data: Mapping[str, Any]) -> CheckSpec:
    """The check that `dump_spec` wrote; KeyError, TypeError or ValueError if it cannot be read."""
    return CheckSpec(
        id=data["id"],
        node_id=data["node_id"],
        title=data["title"],
        family=Family(data["family"]),
        function=data["function"],
        points=Fraction(data["points"]),
        visibility=Visibility(data["visibility"]),
        lesson=data["lesson"],
    )


def load_check(data: Mapping[str, Any]) -> CheckResult:
    """The verdict that `dump_check` wrote; errors as `load_spec`."""
    blame, feedback = data["blame"], data["feedback"]
    return CheckResult(
        spec=load_spec(data["spec"]),
        verdict=Verdict(data["verdict"]),
        blame=None if blame is None else Blame(blame),
        feedback=None if feedback is None else Feedback(**feedback),
        evidence=tuple(
            Evidence(kind=EvidenceKind(item["kind"]), data=item["data"]) for item in data["evidence"]
        ),
        seconds=float(data["seconds"]),
        cpu_s=float(data.get("cpu_s", 0.0)),  # results stored before it was measured have none
        flags=tuple(data["flags"]),
    )


def load_environment(data: Mapping[str, Any]) -> Environment:
    """Where an attempt ran; errors as `load_spec`."""
    return Environment(**{**data, "layers": tuple(data["layers"])})
