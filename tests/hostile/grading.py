"""Grades attacks as ordinary submissions, each followed by the honest one of the same function."""

from __future__ import annotations

import time
from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path
from typing import Any, Self

from grader.content.assignments import read_assignment
from grader.content.uploads import read_paths, read_upload
from grader.domain import stored
from grader.domain.errors import UploadRefused
from grader.domain.results import AttemptResult, EvidenceKind
from grader.domain.submission import SubmittedFiles
from grader.domain.verdicts import Family, Verdict
from grader.engine import Engine
from tests.hostile import reports
from tests.hostile.aftermath import Aftermath, Processes
from tests.hostile.cases import CONTROLS, HERE, Case, read_cases, stake_of
from tests.hostile.uploads import Fate, HostileUpload

ASSIGNMENT = HERE / "assignment"
GRACE_S = 10.0
"""What a verdict may take beyond the attempt's own limit."""
TWICE = frozenset({"f15_stash_and_replay"})
"""Graded twice with equal inputs: what it put aside must not help."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Outcome:
    """What came of one submission. Every list is empty if all is well."""

    case: Case
    result: AttemptResult
    points: tuple[str, ...]
    """What was earned and should not be, or the other way round."""
    reports: tuple[str, ...]
    aftermath: tuple[str, ...]
    neighbour: tuple[str, ...]
    seconds: float

    @property
    def ok(self) -> bool:
        return not (self.points or self.reports or self.aftermath or self.neighbour)

    @property
    def verdicts(self) -> str:
        """The verdicts at stake, each once."""
        found = [check.verdict for check in at_stake(self.result, self.case)]
        return ", ".join(dict.fromkeys(found))

    @property
    def earned(self) -> Fraction:
        return sum((check.earned or Fraction(0) for check in at_stake(self.result, self.case)), Fraction(0))

    @property
    def worth(self) -> Fraction:
        return sum((check.spec.points for check in at_stake(self.result, self.case)), Fraction(0))


@dataclass(frozen=True, slots=True, kw_only=True)
class UploadOutcome:
    """What became of a hostile upload: the code of its refusal, or its points for right values."""

    upload: HostileUpload
    became: str
    problems: tuple[str, ...]
    seconds: float


def at_stake(result: AttemptResult, case: Case) -> list[Any]:
    """The checks of a result that give the points a case is after."""
    return [
        check
        for check in result.results
        if check.spec.function in case.targets and stake_of(check.spec) in case.stake
    ]


class Range:
    """One warm engine on which attacks are tried. Use it as a context."""

    def __init__(self, watch: Aftermath, *, seed: str, sealed: bool | None = None) -> None:
        self._watch, self._seed = watch, seed
        self._engine = Engine(sealed=sealed)
        self._assignment = read_assignment(ASSIGNMENT)
        self._cases = {case.id: case for case in read_cases()}
        self._functions = [function.name for function in self._assignment.functions]
        self._alone: dict[str, list[Any]] = {}
        self._layers: tuple[str, ...] = ()

    def __enter__(self) -> Self:
        self._engine.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._engine.close()

    @property
    def layers(self) -> tuple[str, ...]:
        """The layers of the seal that were on in the last grading."""
        return self._layers

    def try_out(self, case: Case) -> Outcome:
        """Grade a submission, look at what it left, and after an attack grade its function's honest one."""
        alone = self._alone_of(case.target)
        examiner = self._engine._examiner
        assert examiner is not None
        processes = Processes(examiner._process.pid)
        began = time.monotonic()
        files, result = self._grade(case)
        seconds = time.monotonic() - began
        if case.id in TWICE:
            files, result = self._grade(case)
        strays = processes.strays()
        neighbour = () if case.honest else self._neighbour(case, alone)
        aftermath = [*strays, *self._watch.violations()]
        if seconds > self._assignment.limits.attempt_s + GRACE_S:
            aftermath.append(f"took {seconds:.0f} s")
        return Outcome(
            case=case,
            result=result,
            points=tuple(_points(case, result)),
            reports=tuple(reports.problems(result, files)),
            aftermath=tuple(aftermath),
            neighbour=tuple(neighbour),
            seconds=seconds,
        )

    def take(self, upload: HostileUpload) -> UploadOutcome:
        """Read an upload, grade it if it is not refused, and look at what it left."""
        began = time.monotonic()
        try:
            files = read_upload(
                upload.name, upload.data, entry=self._assignment.entry, functions=self._functions
            )
        except UploadRefused as refusal:
            became, problems = f"refused: {refusal.code}", list(_spoilt(upload.fate, None))
        else:
            result = self.grade(files)
            values = [check for check in result.results if check.spec.family is Family.VALUES]
            earned = sum((check.earned or Fraction(0) for check in values), Fraction(0))
            became = f"earned {earned} for its values"
            problems = [*_spoilt(upload.fate, earned), *reports.problems(result, files)]
        problems += self._watch.violations()
        seconds = time.monotonic() - began
        return UploadOutcome(upload=upload, became=became, problems=tuple(problems), seconds=seconds)

    def grade(self, files: SubmittedFiles) -> AttemptResult:
        """One attempt with this range's seed."""
        result = self._engine.grade(files, self._assignment, seed=self._seed)
        self._layers = result.environment.layers
        return result

    def _grade(self, case: Case) -> tuple[SubmittedFiles, AttemptResult]:
        files = self._read(case.path)
        return files, self.grade(files)

    def _read(self, path: Path) -> SubmittedFiles:
        return read_paths([path], entry=self._assignment.entry, functions=self._functions)

    def _alone_of(self, target: str) -> list[Any]:
        if target not in self._alone:
            self._alone[target] = _comparable(self._grade(self._cases[CONTROLS[target]])[1])
        return self._alone[target]

    def _neighbour(self, case: Case, alone: list[Any]) -> Iterator[str]:
        _, result = self._grade(self._cases[CONTROLS[case.target]])
        for before, after in zip(alone, _comparable(result), strict=True):
            if before != after:
                changes = {key: (before.get(key), after.get(key)) for key in before | after}
                told = {key: pair for key, pair in changes.items() if pair[0] != pair[1]}
                yield f"changed {before['id']} of the next submission: {told}"[:400]


def _points(case: Case, result: AttemptResult) -> Iterator[str]:
    for check in at_stake(result, case):
        stake = stake_of(check.spec)
        if case.honest and check.verdict not in (Verdict.PASSED, Verdict.INCONCLUSIVE):
            code = check.feedback.code if check.feedback else ""
            yield f"lost {stake}: {check.verdict} {code}"
        elif not case.honest and check.earned is None:
            yield f"{stake} was not graded: {dict(check.feedback.params) if check.feedback else ''}"
        elif not case.honest and check.earned:
            yield f"earned {stake}: {check.verdict}"


def _spoilt(fate: Fate, earned: Fraction | None) -> Iterator[str]:
    """Whether an upload met its fate; `earned` is None if it was refused."""
    if fate is Fate.EARNS and not earned:
        yield "is honest, and was refused" if earned is None else "is honest, and earned nothing"
    if fate is Fate.REFUSED and earned is not None:
        yield "was not refused"
    if fate is Fate.EARNS_NOTHING and earned:
        yield f"earned {earned}"


def _comparable(result: AttemptResult) -> list[Any]:
    """A result without what differs from run to run: durations."""
    checks = []
    for check in result.results:
        data = dict(stored.dump_check(check))
        del data["seconds"], data["cpu_s"]
        data["id"] = check.spec.id
        if any(piece.kind is EvidenceKind.TIMING for piece in check.evidence):
            data = {"id": check.spec.id, "earned": check.earned}  # noise may leave a race undecided
        checks.append(data)
    return checks
