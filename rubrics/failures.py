"""How a check ends other than by passing: a code of the catalogue, its parameters, a line, evidence."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from grader.domain.results import Evidence, Feedback, JsonValue
from grader.domain.verdicts import DEFAULT_BLAME, Blame, Verdict
from rubrics.source import Spot


class CheckFailed(Exception):
    """The submission lacks the quality this check is about, or a process that ran it ended badly."""

    def __init__(
        self,
        code: str,
        params: Mapping[str, JsonValue] | None = None,
        *,
        file: str | None = None,
        line: int | None = None,
        evidence: tuple[Evidence, ...] = (),
        verdict: Verdict = Verdict.FAILED,
        flags: tuple[str, ...] = (),
    ) -> None:
        super().__init__(code)
        self.feedback = Feedback(code=code, params=dict(params or {}), file=file, line=line)
        self.evidence, self.verdict, self.flags = evidence, verdict, flags

    @property
    def spot(self) -> Spot | None:
        """The line that the feedback names."""
        feedback = self.feedback
        if feedback.file is None or feedback.line is None:
            return None
        return Spot(file=feedback.file, line=feedback.line)

    @property
    def blame(self) -> Blame | None:
        return DEFAULT_BLAME[self.verdict]


class Inconclusive(CheckFailed):
    """No verdict that noise could not turn: the points stay, staff see a flag."""

    def __init__(self, code: str, params: Mapping[str, JsonValue], *, evidence: tuple[Evidence, ...]) -> None:
        super().__init__(code, params, evidence=evidence, verdict=Verdict.INCONCLUSIVE, flags=(code,))


class SuiteMisused(Exception):
    """The suite asks for something that makes no sense: the course's fault, never the student's."""


def judgement(failure: CheckFailed | None, *, evidence: tuple[Evidence, ...] = ()) -> dict[str, Any]:
    """The plain JSON form in which a check's decision travels in pytest's report."""
    verdict = Verdict.PASSED if failure is None else failure.verdict
    feedback = None if failure is None else failure.feedback
    return {
        "verdict": verdict.value,
        "blame": None if failure is None or failure.blame is None else failure.blame.value,
        "feedback": None
        if feedback is None
        else {
            "code": feedback.code,
            "params": dict(feedback.params),
            "file": feedback.file,
            "line": feedback.line,
        },
        "evidence": [
            {"kind": item.kind.value, "data": dict(item.data)}
            for item in (evidence if failure is None else failure.evidence)
        ],
        "flags": [] if failure is None else list(failure.flags),
    }
