"""Results as JSON.

`to_json` is the form that programs read (``grader check --json``, the API): what one reader may see, in
words. `dump` and `load` are the form in which results are stored (`grader.domain.stored`).
"""

from __future__ import annotations

from grader.domain.catalogue import RenderedFeedback
from grader.domain.results import AttemptResult
from grader.domain.stored import dump, load
from grader.domain.strict_json import (
    JsonObject,
    environment_json,
    evidence_json,
    notices_json,
    number,
    strict,
)
from grader.domain.submission import SubmittedFiles
from grader.domain.view import Audience, CheckView, CriterionView, Reader, ReportView, view_of

__all__ = ["Audience", "dump", "load", "to_json", "view_to_json"]


def to_json(
    result: AttemptResult,
    *,
    audience: Audience,
    released: bool,
    past_due: bool,
    source: SubmittedFiles | None = None,
) -> JsonObject:
    """The report as one reader may see it (`grader.domain.view` decides what stays hidden)."""
    reader = Reader(audience=audience, released=released, past_due=past_due)
    return view_to_json(view_of(result, reader, source=source))


def view_to_json(view: ReportView) -> JsonObject:
    """The contract; keys are only ever added. Points are numbers, and None where not graded."""
    return {
        "assignment": view.assignment,
        "version": view.version,
        "score": number(view.score),
        "max_score": number(view.max_score),
        "graded": view.graded,
        "criteria": [_criterion(criterion) for criterion in view.criteria],
        "hidden": [
            {"opens": part.visibility.value, "count": part.count, "points": number(part.points)}
            for part in view.hidden
        ],
        "environment": environment_json(view.environment),
        "seed": view.seed,
        "audience": view.reader.audience.value,
        "notices": notices_json(view.notices),
        "output": view.output,
        "output_withheld": view.output_withheld,
        "flags": list(view.flags),
        "seconds": strict(view.seconds),
        "cost": strict(view.cost),
    }


def _criterion(criterion: CriterionView) -> JsonObject:
    return {
        "id": criterion.id,
        "title": criterion.title,
        "family": criterion.family.value,
        "function": criterion.function,
        "points": number(criterion.points),
        "earned": number(criterion.earned),
        "verdict": criterion.verdict.value,
        "checks": [_check(check) for check in criterion.checks],
    }


def _check(check: CheckView) -> JsonObject:
    return {
        "id": check.id,
        "title": check.title,
        "points": number(check.points),
        "earned": number(check.earned),
        "verdict": check.verdict.value,
        "blame": check.blame.value if check.blame else None,
        "visibility": check.visibility.value,
        "feedback": _feedback(check.feedback) if check.feedback else None,
        "evidence": evidence_json(check.evidence),
        "seconds": strict(check.seconds),
        "flags": list(check.flags),
    }


def _feedback(feedback: RenderedFeedback) -> JsonObject:
    return {
        "code": feedback.code,
        "title": feedback.title,
        "message": feedback.message,
        "place": feedback.place,
        "line": feedback.line,
        "file": feedback.file,
        "why": feedback.why,
        "hint": feedback.hint,
        "example": feedback.example,
        "lesson": feedback.lesson,
    }
