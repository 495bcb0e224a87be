"""Making what students download: the visible checks with the answers that they need, tried beforehand.

The solution is run once, while its answers are written down, and once more with what was made of them, as a
student would run it. A visible check that cannot be handed out, or that does not pass there, is left out, and
the bundle says so.
"""

from __future__ import annotations

import tempfile
from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Protocol

from grader.content.assignments import materialise, read_assignment
from grader.content.bundles import BundleFile
from grader.content.student_bundles import student_files, zipped
from grader.content.uploads import read_paths
from grader.domain.errors import AssignmentInvalid
from grader.domain.results import AttemptResult
from grader.domain.rubric import Assignment, CheckSpec, Rubric
from grader.domain.student_bundle import Recorded, StudentBundle, hidden_groups, left_out, public_seed
from grader.domain.submission import SubmittedFiles
from grader.domain.verdicts import Verdict, Visibility

NOT_PASSED = "the solution does not pass it with the inputs that all students would get"
NEEDS_MORE = "it needs a part of the suite that is not handed out"


class BundleEngine(Protocol):
    """What making a bundle needs of the engine."""

    def rubric(self, assignment: Assignment) -> Rubric: ...

    def record(self, solution: SubmittedFiles, assignment: Assignment, *, seed: str) -> Recorded: ...

    def grade(self, files: SubmittedFiles, assignment: Assignment, *, seed: str) -> AttemptResult: ...


@dataclass(frozen=True, slots=True, kw_only=True)
class Bundled:
    """The folder that students get, the checks in it, and what it says of those that are not."""

    slug: str
    files: tuple[BundleFile, ...]
    checks: tuple[CheckSpec, ...]
    about: StudentBundle

    @property
    def data(self) -> bytes:
        """The folder as a zip; the same version gives the same bytes."""
        return zipped(self.files, folder=self.slug)


def make_bundle(assignment: Assignment, engine: BundleEngine) -> Bundled:
    """What students get of an assignment. Without checks if none of the visible ones can be handed out."""
    rubric = engine.rubric(assignment)
    solution = read_paths(
        [assignment.root / "solution" / assignment.entry],
        entry=assignment.entry,
        functions=[function.name for function in assignment.functions],
    )
    recorded = engine.record(solution, assignment, seed=public_seed(assignment.version))
    reasons = dict(recorded.withheld)
    for result in recorded.result.results:
        if result.verdict is not Verdict.PASSED:
            reasons.setdefault(result.spec.id, NOT_PASSED)
    while True:
        made = _made(assignment, rubric, recorded.answers, reasons)
        failing = _failing(made, solution, engine)
        if not failing:
            return made
        reasons |= dict.fromkeys(failing, NEEDS_MORE)


def _made(assignment: Assignment, rubric: Rubric, answers: bytes, reasons: Mapping[str, str]) -> Bundled:
    visible = [check for check in rubric.checks if check.visibility is Visibility.VISIBLE]
    checks = tuple(check for check in visible if check.id not in reasons)
    about = StudentBundle(
        version=assignment.version,
        seed=public_seed(assignment.version),
        hidden=hidden_groups(rubric),
        left_out=tuple(left_out(check, reasons[check.id]) for check in visible if check.id in reasons),
    )
    files = student_files(assignment, about=about, checks=checks, answers=answers) if checks else ()
    return Bundled(slug=assignment.slug, files=files, checks=checks, about=about)


def _failing(made: Bundled, solution: SubmittedFiles, engine: BundleEngine) -> frozenset[str]:
    """The checks of a bundle that the solution does not pass as students run them, all if none can be run."""
    wanted = {check.id: _comparable(check) for check in made.checks}
    if not wanted:
        return frozenset()
    with tempfile.TemporaryDirectory(prefix="grader-bundle-") as scratch:
        try:
            handed_out = read_assignment(materialise(made.files, Path(scratch) / made.slug))
            found = engine.rubric(handed_out).checks
        except AssignmentInvalid:
            return frozenset(wanted)
        result = engine.grade(solution, handed_out, seed=made.about.seed)
    same = {check.id for check in found if wanted.get(check.id) == _comparable(check)}
    passed = {each.spec.id for each in result.results if each.verdict is Verdict.PASSED}
    return frozenset(wanted.keys() - (same & passed))


def _comparable(check: CheckSpec) -> CheckSpec:
    """A check without its place in the suite."""
    return replace(check, node_id="")
