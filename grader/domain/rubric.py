"""An assignment and its rubric, as published: functions to write, criteria, checks, points."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path

from grader.domain.text import mid_sentence
from grader.domain.verdicts import FAMILY_TITLE, Family, Visibility


@dataclass(frozen=True, slots=True, kw_only=True)
class FunctionSpec:
    """A function the student writes. `static` names arguments that are static under jit."""

    name: str
    static: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class CheckSpec:
    """One check as the suite declares it. `id` is ``function.family.name``; `node_id` is pytest's."""

    id: str
    node_id: str
    title: str
    family: Family
    function: str
    points: Fraction
    visibility: Visibility = Visibility.VISIBLE
    lesson: str | None = None

    @property
    def criterion_id(self) -> str:
        return f"{self.function}.{self.family.value}"


@dataclass(frozen=True, slots=True, kw_only=True)
class Criterion:
    """One gradable quality of one function: all checks of a family for that function."""

    id: str
    family: Family
    function: str
    checks: tuple[CheckSpec, ...]

    @property
    def title(self) -> str:
        return f"{self.function}: {mid_sentence(FAMILY_TITLE[self.family])}"

    @property
    def points(self) -> Fraction:
        return sum((check.points for check in self.checks), Fraction(0))


@dataclass(frozen=True, slots=True, kw_only=True)
class Rubric:
    """The checks of an assignment version, in the order the suite declares them."""

    checks: tuple[CheckSpec, ...]

    @property
    def criteria(self) -> tuple[Criterion, ...]:
        """Checks grouped by criterion, in order of first appearance."""
        grouped: dict[str, list[CheckSpec]] = {}
        for check in self.checks:
            grouped.setdefault(check.criterion_id, []).append(check)
        return tuple(
            Criterion(id=key, family=group[0].family, function=group[0].function, checks=tuple(group))
            for key, group in grouped.items()
        )

    @property
    def max_score(self) -> Fraction:
        return sum((check.points for check in self.checks), Fraction(0))


@dataclass(frozen=True, slots=True, kw_only=True)
class Limits:
    """What one attempt may use. Seconds are wall-clock; memory is resident, in MiB."""

    load_s: float = 10.0
    check_s: float = 20.0
    attempt_s: float = 180.0
    memory_mib: int = 2048
    output_kib: int = 256


@dataclass(frozen=True, slots=True, kw_only=True)
class Mutant:
    """A known-wrong submission shipped with an assignment, with exactly the checks it must fail."""

    name: str
    path: str
    fails: frozenset[str]
    about: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Assignment:
    """One assignment folder, read and validated. `version` is its content hash (SHA-256, hex).

    `answers` names the file of recorded answers that a folder for students has in place of the solution.
    """

    slug: str
    title: str
    version: str
    root: Path
    entry: str
    functions: tuple[FunctionSpec, ...]
    starter_earns: Fraction = Fraction(0)
    mutants: tuple[Mutant, ...] = ()
    limits: Limits = Limits()
    queue: str = "cpu"
    lesson: str = "lesson.md"
    answers: str | None = None

    def function(self, name: str) -> FunctionSpec:
        """The declared function of that name; KeyError if there is none."""
        for spec in self.functions:
            if spec.name == name:
                return spec
        raise KeyError(name)
