"""Reports read back from the JSON that programs get (`grader.domain.report_json`), to be shown elsewhere.

What a server sent has been cut to its reader's measure already, so this decides nothing about what stays
hidden. Points come as numbers; small denominators are found again, so that a third reads as a third.
"""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from typing import Any, Final

from grader.domain.catalogue import RenderedFeedback
from grader.domain.results import Environment, Evidence, EvidenceKind
from grader.domain.submission import Notice
from grader.domain.verdicts import Blame, Family, Verdict, Visibility
from grader.domain.view import (
    Audience,
    CheckView,
    CriterionView,
    Disclosure,
    HiddenChecks,
    Reader,
    ReportView,
)

_DENOMINATORS: Final = 1000
_HIDDEN: Final = ".hidden-"
"""How the ids of checks are made that are told without particulars."""

Json = Mapping[str, Any]


def view_from_json(report: Json) -> ReportView:
    """The view that `view_to_json` wrote; ValueError where the JSON is no such thing."""
    try:
        return ReportView(
            assignment=str(report["assignment"]),
            version=str(report["version"]),
            reader=Reader(audience=Audience(report["audience"])),
            criteria=tuple(_criterion(item) for item in report["criteria"]),
            hidden=tuple(_hidden(item) for item in report["hidden"]),
            environment=_environment(report["environment"]),
            notices=tuple(_notice(item) for item in report["notices"]),
            seconds=float(report["seconds"]),
            seed=report["seed"],
            flags=tuple(report["flags"]),
            output=str(report["output"]),
            output_withheld=bool(report["output_withheld"]),
            cost={str(name): float(seconds) for name, seconds in report["cost"].items()},
        )
    except (KeyError, TypeError, AttributeError, ValueError, OverflowError) as error:
        raise ValueError(f"no report of a known form: {type(error).__name__} {error}") from error


def _criterion(item: Json) -> CriterionView:
    return CriterionView(
        id=str(item["id"]),
        title=str(item["title"]),
        family=Family(item["family"]),
        function=str(item["function"]),
        checks=tuple(_check(check) for check in item["checks"]),
    )


def _check(item: Json) -> CheckView:
    feedback = item["feedback"]
    earned = item["earned"]
    return CheckView(
        id=str(item["id"]),
        title=str(item["title"]),
        points=exact_points(item["points"]),
        earned=None if earned is None else exact_points(earned),
        verdict=Verdict(item["verdict"]),
        blame=Blame(item["blame"]) if item["blame"] else None,
        visibility=Visibility(item["visibility"]),
        disclosure=Disclosure.GENERAL if _HIDDEN in str(item["id"]) else Disclosure.FULL,
        feedback=None if feedback is None else _feedback(feedback),
        evidence=tuple(
            Evidence(kind=EvidenceKind(piece["kind"]), data=dict(piece["data"])) for piece in item["evidence"]
        ),
        seconds=float(item["seconds"]),
        flags=tuple(item["flags"]),
    )


def _feedback(item: Json) -> RenderedFeedback:
    return RenderedFeedback(
        code=str(item["code"]),
        title=str(item["title"]),
        message=str(item["message"]),
        why=str(item["why"]),
        hint=str(item["hint"]),
        example=str(item["example"]),
        lesson=item["lesson"],
        place=str(item["place"]),
        line=item["line"],
        file=item["file"],
    )


def _hidden(item: Json) -> HiddenChecks:
    return HiddenChecks(
        visibility=Visibility(item["opens"]), count=int(item["count"]), points=exact_points(item["points"])
    )


def _environment(item: Json) -> Environment:
    texts = {name: str(item[name]) for name in ("jax", "jaxlib", "numpy", "python", "device")}
    return Environment(**texts, layers=tuple(item["layers"]))


def _notice(item: Json) -> Notice:
    return Notice(code=str(item["code"]), message=str(item["message"]), line=item["line"])


def exact_points(number: float) -> Fraction:
    """Points of JSON as they were meant: a third for 0.3333."""
    return Fraction(number).limit_denominator(_DENOMINATORS)
