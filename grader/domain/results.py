"""What grading found: feedback, evidence, check results, and the result of a whole attempt."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from fractions import Fraction

from grader.domain.rubric import CheckSpec, Criterion, Rubric
from grader.domain.submission import Notice
from grader.domain.verdicts import Blame, Verdict, worst

JsonScalar = str | int | float | bool | None
JsonValue = JsonScalar | list["JsonValue"] | Mapping[str, "JsonValue"]


class EvidenceKind(StrEnum):
    """What a piece of evidence shows."""

    ARRAYS = "arrays"
    STRUCTURE = "structure"
    TIMING = "timing"
    TRACES = "traces"
    PROGRAM_SIZE = "program_size"
    SOURCE = "source"
    JAXPR = "jaxpr"
    OUTPUT = "output"
    STATE = "state"
    KEYS = "keys"
    ERROR = "error"


@dataclass(frozen=True, slots=True, kw_only=True)
class Evidence:
    """A machine-readable fact behind a verdict. `data` is plain JSON, already printable and bounded."""

    kind: EvidenceKind
    data: Mapping[str, JsonValue]


@dataclass(frozen=True, slots=True, kw_only=True)
class Feedback:
    """What a student may read about one check: a catalogue code and its parameters.

    `params` fill the catalogue's templates; `line` is 1-based in `file`. The words live in the catalogue.
    """

    code: str
    params: Mapping[str, JsonValue] = field(default_factory=dict)
    file: str | None = None
    line: int | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class CheckResult:
    """The verdict on one check of one attempt. `seconds` is the check's wall time, `cpu_s` its CPU time."""

    spec: CheckSpec
    verdict: Verdict
    blame: Blame | None
    feedback: Feedback | None = None
    evidence: tuple[Evidence, ...] = ()
    seconds: float = 0.0
    cpu_s: float = 0.0
    """CPU seconds of the examiner, the bench and the candidates, as far as they told them with an answer."""
    flags: tuple[str, ...] = ()

    @property
    def earned(self) -> Fraction | None:
        """Points for this check; None means not graded. An inconclusive verdict never lowers a score."""
        if self.verdict in (Verdict.PASSED, Verdict.INCONCLUSIVE):
            return self.spec.points
        if self.blame in (Blame.COURSE, Blame.SYSTEM):
            return None
        return Fraction(0)


@dataclass(frozen=True, slots=True, kw_only=True)
class CriterionResult:
    """All checks of one criterion, with the worst of their verdicts."""

    criterion: Criterion
    checks: tuple[CheckResult, ...]

    @property
    def verdict(self) -> Verdict:
        return worst([check.verdict for check in self.checks])

    @property
    def earned(self) -> Fraction | None:
        """Sum over the checks; None as soon as one of them was not graded."""
        parts = [check.earned for check in self.checks]
        if any(part is None for part in parts):
            return None
        return sum((part for part in parts if part is not None), Fraction(0))


@dataclass(frozen=True, slots=True, kw_only=True)
class Environment:
    """Where an attempt ran; stored with its result so that it can be reproduced."""

    jax: str
    jaxlib: str
    numpy: str
    python: str
    device: str
    layers: tuple[str, ...] = ()
    """The layers of the seal that were on."""


@dataclass(frozen=True, slots=True, kw_only=True)
class AttemptResult:
    """One grading run of one submission against one assignment version."""

    assignment: str
    version: str
    rubric: Rubric
    results: tuple[CheckResult, ...]
    environment: Environment
    seed: str
    notices: tuple[Notice, ...] = ()
    flags: tuple[str, ...] = ()
    output: str = ""
    """What the submission printed, head and tail, printable; staff and its author may read it."""
    seconds: float = 0.0
    cost: Mapping[str, float] = field(default_factory=dict)
    """CPU seconds by stage (load, trace, export, interpret, compile, run, pytest, exit)."""

    @property
    def criteria(self) -> tuple[CriterionResult, ...]:
        by_id = {result.spec.id: result for result in self.results}
        return tuple(
            CriterionResult(
                criterion=criterion,
                checks=tuple(by_id[check.id] for check in criterion.checks),
            )
            for criterion in self.rubric.criteria
        )

    @property
    def graded(self) -> bool:
        """Whether every check was judged (none was lost to a fault of the course or the system)."""
        return all(result.earned is not None for result in self.results)

    @property
    def score(self) -> Fraction:
        """Points earned over the checks that were graded."""
        return sum((result.earned for result in self.results if result.earned is not None), Fraction(0))

    @property
    def max_score(self) -> Fraction:
        return self.rubric.max_score


class Stage(StrEnum):
    """Where an attempt is, for live progress."""

    QUEUED = "queued"
    LOADING = "loading"
    CHECKING = "checking"
    SCORING = "scoring"
    DONE = "done"


@dataclass(frozen=True, slots=True, kw_only=True)
class Progress:
    """A step of one attempt; `done` of `total` checks have a verdict, `check_id` is running."""

    stage: Stage
    check_id: str | None = None
    done: int = 0
    total: int = 0
