"""A result in Gradescope's `results.json`.

Made from what a student would read before the due date, as far as texts go: Gradescope opens a hidden test's
output by its own rules, but the names and outputs of checks that stay hidden for good are never sent.
"""

from __future__ import annotations

from fractions import Fraction

from grader.domain.results import AttemptResult, JsonValue
from grader.domain.strict_json import JsonObject
from grader.domain.submission import SubmittedFiles
from grader.domain.verdicts import Visibility
from grader.domain.view import STAFF, Audience, CheckView, Reader, view_of

_VISIBILITY = {
    Visibility.VISIBLE: "visible",
    Visibility.AFTER_DUE: "after_due_date",
    Visibility.AFTER_PUBLISHED: "after_published",
    Visibility.HIDDEN: "hidden",
}
_LATER = Reader(audience=Audience.STUDENT, released=True, past_due=True)
_PLACES = 4


def results_json(
    result: AttemptResult, *, points: Fraction, source: SubmittedFiles | None = None
) -> JsonObject:
    """The object that Gradescope reads. `points` are what counts, staff's adjustments included.

    Points are finite numbers; a check that was not graded has none, which Gradescope shows as information.
    """
    shown = {check.id: check for check in view_of(result, _LATER, source=source).checks}
    whole = view_of(result, STAFF, source=source)
    tests: list[JsonValue] = []
    for number, check in enumerate(whole.checks, start=1):
        tests.append(_test(shown.get(check.id), check, number=number))
    return {
        "score": _number(points),
        "execution_time": round(max(0.0, result.seconds), 3),
        "output": "Graded by the JAX grader. A test that says so was not graded, and counts nothing.",
        "output_format": "text",
        "test_output_format": "text",
        "test_name_format": "text",
        "visibility": "visible",
        "stdout_visibility": "hidden",
        "extra_data": {"assignment": result.assignment, "version": result.version},
        "tests": tests,
    }


def _test(open_check: CheckView | None, check: CheckView, *, number: int) -> JsonObject:
    """One test. `open_check` is the check as students see it once all is open; None: it stays hidden."""
    test: JsonObject = {
        "name": f"A check that stays hidden ({number})" if open_check is None else check.title,
        "number": str(number),
        "max_score": _number(check.points),
        "visibility": _VISIBILITY[check.visibility],
        "output": "" if open_check is None else _output(open_check),
        "tags": [] if open_check is None else [*check.id.split(".")[:2]],
        "extra_data": {} if open_check is None else {"check": check.id, "verdict": check.verdict.value},
    }
    if check.earned is not None:
        test["score"] = _number(check.earned)
        test["status"] = "passed" if check.earned >= check.points else "failed"
    return test


def _output(check: CheckView) -> str:
    if check.feedback is None:
        return ""
    parts = (check.feedback.message, check.feedback.why, check.feedback.hint)
    return "\n\n".join(part for part in parts if part)


def _number(points: Fraction) -> float:
    return float(round(points, _PLACES))
