"""What one reader may see of a result: the only place that decides what stays hidden.

Pages, terminal, JSON and exports all show a `ReportView`; none of them looks at an `AttemptResult` itself, so
what is left out here can leak nowhere.

A check that is not open yet shows a student nothing but that it exists, what it is worth and when it opens.
A check that its author keeps hidden for good is told, once grades are released, by its criterion, its
verdict and a general sentence; its name, the inputs, the expected values and the evidence stay with the
staff. Until everything is open the student's own output is kept back too: a print could show the inputs of
a hidden check.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from enum import StrEnum
from fractions import Fraction

from grader.domain.catalogue import GENERAL_CODE, LINE_PARAM, RenderedFeedback, render
from grader.domain.cells import describe_line
from grader.domain.results import (
    AttemptResult,
    CheckResult,
    CriterionResult,
    Environment,
    Evidence,
    Feedback,
)
from grader.domain.submission import Notice, SubmittedFiles
from grader.domain.verdicts import Blame, Family, Verdict, Visibility, worst


class Audience(StrEnum):
    """Who reads a report."""

    STUDENT = "student"
    STAFF = "staff"


class Disclosure(StrEnum):
    """How much of one check a reader may see."""

    FULL = "full"
    GENERAL = "general"
    """Verdict, points and a sentence without particulars."""
    NOTHING = "nothing"
    """Only that it exists, its points, and when it opens."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Reader:
    """Who reads, and when: before or after the due date, before or after grades are released."""

    audience: Audience
    released: bool = False
    past_due: bool = False

    @property
    def staff(self) -> bool:
        return self.audience is Audience.STAFF

    def may_see(self, visibility: Visibility) -> Disclosure:
        """How much of a check of that visibility this reader may see.

        >>> Reader(audience=Audience.STUDENT, past_due=True).may_see(Visibility.AFTER_DUE)
        <Disclosure.FULL: 'full'>
        """
        if self.staff:
            return Disclosure.FULL
        opened = {
            Visibility.VISIBLE: Disclosure.FULL,
            Visibility.AFTER_DUE: Disclosure.FULL if self.past_due or self.released else Disclosure.NOTHING,
            Visibility.AFTER_PUBLISHED: Disclosure.FULL if self.released else Disclosure.NOTHING,
            Visibility.HIDDEN: Disclosure.GENERAL if self.released else Disclosure.NOTHING,
        }
        return opened[visibility]


STAFF = Reader(audience=Audience.STAFF)
"""Sees everything, always."""


@dataclass(frozen=True, slots=True, kw_only=True)
class CheckView:
    """One check as its reader sees it. `earned` is None where it was not graded."""

    id: str
    title: str
    points: Fraction
    earned: Fraction | None
    verdict: Verdict
    blame: Blame | None
    visibility: Visibility
    disclosure: Disclosure
    feedback: RenderedFeedback | None
    evidence: tuple[Evidence, ...]
    seconds: float
    flags: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class CriterionView:
    """The checks of one criterion that the reader may see; points count only those."""

    id: str
    title: str
    family: Family
    function: str
    checks: tuple[CheckView, ...]

    @property
    def verdict(self) -> Verdict:
        return worst([check.verdict for check in self.checks])

    @property
    def points(self) -> Fraction:
        return sum((check.points for check in self.checks), Fraction(0))

    @property
    def earned(self) -> Fraction | None:
        """Sum over the checks; None as soon as one of them was not graded."""
        parts = [check.earned for check in self.checks]
        if any(part is None for part in parts):
            return None
        return sum((part for part in parts if part is not None), Fraction(0))


@dataclass(frozen=True, slots=True, kw_only=True)
class HiddenChecks:
    """Checks that open later, or never: how many, and what they are worth together."""

    visibility: Visibility
    count: int
    points: Fraction


@dataclass(frozen=True, slots=True, kw_only=True)
class ReportView:
    """A result as one reader may see it. What is kept back is empty, or None for the seed."""

    assignment: str
    version: str
    reader: Reader
    criteria: tuple[CriterionView, ...]
    hidden: tuple[HiddenChecks, ...]
    environment: Environment
    notices: tuple[Notice, ...]
    seconds: float
    seed: str | None = None
    flags: tuple[str, ...] = ()
    output: str = ""
    output_withheld: bool = False
    cost: Mapping[str, float] = field(default_factory=dict)

    @property
    def checks(self) -> tuple[CheckView, ...]:
        return tuple(check for criterion in self.criteria for check in criterion.checks)

    @property
    def graded(self) -> bool:
        """Whether every check in view was judged."""
        return all(check.earned is not None for check in self.checks)

    @property
    def score(self) -> Fraction:
        """Points earned over the checks in view that were graded."""
        return sum((check.earned for check in self.checks if check.earned is not None), Fraction(0))

    @property
    def max_score(self) -> Fraction:
        """Points of the checks in view."""
        return sum((check.points for check in self.checks), Fraction(0))

    @property
    def hidden_count(self) -> int:
        return sum(part.count for part in self.hidden)


FALLBACK_CODE: dict[Verdict, str] = {
    Verdict.FAILED: GENERAL_CODE,
    Verdict.CRASHED: "call.died",
    Verdict.TIMED_OUT: "call.timed_out",
    Verdict.OUT_OF_MEMORY: "call.out_of_memory",
    Verdict.SKIPPED: "grader.internal",
    Verdict.INCONCLUSIVE: "jit.speed_uncertain",
    Verdict.INTERNAL_ERROR: "grader.internal",
}
"""What is said of a verdict that came without feedback."""


SAID_BY_FEEDBACK = {"precheck.syntax": "submission.syntax_error"}
"""Notices that say the same as a code of the catalogue."""


VALUE_CODES = "values."
"""How the codes begin that say what is wrong with a result, not what in the code makes it so."""


def view_of(result: AttemptResult, reader: Reader, *, source: SubmittedFiles | None = None) -> ReportView:
    """The result as that reader may see it now.

    With `source`, lines are spoken of the way the author counts them (cells of a notebook), and a file is
    named only where it is not the main one.
    """
    criteria = tuple(_criterion_view(item, reader, source) for item in result.criteria)
    withheld = any(reader.may_see(check.spec.visibility) is not Disclosure.FULL for check in result.results)
    return ReportView(
        assignment=result.assignment,
        version=result.version,
        reader=reader,
        criteria=tuple(criterion for criterion in criteria if criterion.checks),
        hidden=_hidden(result.results, reader),
        environment=result.environment,
        notices=_notices(result, criteria),
        seconds=result.seconds,
        seed=result.seed if reader.staff else None,
        flags=result.flags if reader.staff else (),
        output="" if withheld else result.output,
        output_withheld=withheld and bool(result.output),
        cost=dict(result.cost) if reader.staff else {},
    )


def _notices(result: AttemptResult, criteria: Iterable[CriterionView]) -> tuple[Notice, ...]:
    """The notices, without those that a check in view says of the same line."""
    spoken = (check.feedback for criterion in criteria for check in criterion.checks)
    said = {(feedback.code, feedback.line) for feedback in spoken if feedback is not None}
    return tuple(
        notice
        for notice in result.notices
        if (SAID_BY_FEEDBACK.get(notice.code, notice.code), notice.line) not in said
    )


def _hidden(results: tuple[CheckResult, ...], reader: Reader) -> tuple[HiddenChecks, ...]:
    """What the reader does not see, in the order in which it opens."""
    groups = []
    for visibility in Visibility:
        specs = [result.spec for result in results if result.spec.visibility is visibility]
        if specs and reader.may_see(visibility) is Disclosure.NOTHING:
            points = sum((spec.points for spec in specs), Fraction(0))
            groups.append(HiddenChecks(visibility=visibility, count=len(specs), points=points))
    return tuple(groups)


def _criterion_view(item: CriterionResult, reader: Reader, source: SubmittedFiles | None) -> CriterionView:
    checks: list[CheckView] = []
    for result in item.checks:
        match reader.may_see(result.spec.visibility):
            case Disclosure.FULL:
                checks.append(_full_view(result, reader, source))
            case Disclosure.GENERAL:
                number = 1 + sum(check.disclosure is Disclosure.GENERAL for check in checks)
                checks.append(_general_view(result, source, number=number))
            case Disclosure.NOTHING:
                pass
    criterion = item.criterion
    return CriterionView(
        id=criterion.id,
        title=criterion.title,
        family=criterion.family,
        function=criterion.function,
        checks=tuple(checks),
    )


def _full_view(result: CheckResult, reader: Reader, source: SubmittedFiles | None) -> CheckView:
    spec = result.spec
    # What went wrong on our side is for the staff: its particulars may show the suite.
    ours = not reader.staff and result.earned is None
    feedback = Feedback(code="grader.internal") if ours else _feedback_of(result)
    spoken = None if feedback is None else render(_spoken(feedback, source), place=_place(feedback, source))
    if spoken is not None and spec.lesson is not None and _own_lesson_first(spoken):
        spoken = replace(spoken, lesson=spec.lesson)
    return CheckView(
        id=spec.id,
        title=spec.title,
        points=spec.points,
        earned=result.earned,
        verdict=result.verdict,
        blame=result.blame,
        visibility=spec.visibility,
        disclosure=Disclosure.FULL,
        feedback=spoken,
        evidence=() if ours else result.evidence,
        seconds=result.seconds,
        flags=result.flags if reader.staff else (),
    )


def _general_view(result: CheckResult, source: SubmittedFiles | None, *, number: int) -> CheckView:
    """A check that stays hidden, told without anything it was given or found."""
    feedback = Feedback(code="grader.internal") if result.earned is None else _feedback_of(result)
    return CheckView(
        id=f"{result.spec.criterion_id}.hidden-{number}",
        title="A check that stays hidden",
        points=result.spec.points,
        earned=result.earned,
        verdict=result.verdict,
        blame=result.blame,
        visibility=result.spec.visibility,
        disclosure=Disclosure.GENERAL,
        feedback=None if feedback is None else render(feedback, reveal=False, place=_place(feedback, source)),
        evidence=(),
        seconds=0.0,
        flags=(),
    )


def _feedback_of(result: CheckResult) -> Feedback | None:
    """The check's feedback; a verdict other than *passed* never stays without a word."""
    if result.feedback is not None or result.verdict is Verdict.PASSED:
        return result.feedback
    return Feedback(code=FALLBACK_CODE[result.verdict], params={"function": result.spec.function})


def _own_lesson_first(spoken: RenderedFeedback) -> bool:
    """Whether the check's lesson goes before the code's: a wrong value says little about why it is wrong."""
    return spoken.lesson is None or spoken.code.startswith(VALUE_CODES)


def _place(feedback: Feedback, source: SubmittedFiles | None) -> str | None:
    """How to speak of the line; None leaves it to the catalogue."""
    if source is None or feedback.line is None:
        return None
    return place_in(source, feedback.line, file=feedback.file)


def _spoken(feedback: Feedback, source: SubmittedFiles | None) -> Feedback:
    """The feedback with a line among its parameters put into its author's words."""
    line = feedback.params.get(LINE_PARAM)
    if source is None or not isinstance(line, int):
        return feedback
    place = place_in(source, line, file=feedback.file)
    words = f"in {place}" if place.startswith("cell") else f"on {place}"
    return replace(feedback, params={**feedback.params, LINE_PARAM: words})


def place_in(source: SubmittedFiles, line: int, *, file: str | None = None) -> str:
    """How to speak of a 1-based line of a submitted file, by default of the main one."""
    name = file or source.entry
    known = {item.name: item.text for item in source.files}
    spoken = describe_line(name, known.get(name, ""), line)
    return spoken if name == source.entry else f"{spoken} of {name}"
