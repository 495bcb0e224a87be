"""What students get is tried with the solution before it is given, and says what it leaves out."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field, replace
from fractions import Fraction
from pathlib import Path

import pytest

from grader.domain.errors import AssignmentInvalid
from grader.domain.results import AttemptResult
from grader.domain.rubric import Assignment, CheckSpec, Rubric
from grader.domain.student_bundle import Recorded, public_seed
from grader.domain.submission import SubmittedFiles
from grader.domain.verdicts import Blame, Verdict, Visibility
from grader.services.bundling import NEEDS_MORE, NOT_PASSED, Bundled, make_bundle
from tests.courses import rubric, write_assignment
from tests.engines import TextEngine

DOUBLES, TRACES, HALVES = (check.id for check in rubric().checks)
SUITE = "def test_it_doubles(): ...\ndef test_it_traces(): ...\ndef test_it_halves(): ...\n"

Verdicts = dict[str, Verdict]


@dataclass(kw_only=True)
class Recorder:
    """Stands for the engine: `there` are its verdicts on the whole folder, `here` those on the bundle."""

    hidden: frozenset[str] = frozenset()
    withheld: dict[str, str] = field(default_factory=dict)
    there: Verdicts = field(default_factory=dict)
    here: Verdicts = field(default_factory=dict)
    changed: Callable[[CheckSpec], CheckSpec] = lambda check: check
    breaks: bool = False
    """Whether a bundle's suite cannot even be collected."""
    seeds: list[str] = field(default_factory=list)

    def rubric(self, assignment: Assignment) -> Rubric:
        if assignment.answers is None:
            return Rubric(checks=self._checks())
        if self.breaks:
            raise AssignmentInvalid(assignment.root, "a name is missing.")
        text = (assignment.root / "rubric/test_doubling.py").read_text()
        kept = (check for check in self._checks() if check.node_id.rpartition("::")[2] in text)
        return Rubric(checks=tuple(self.changed(check) for check in kept))

    def record(self, solution: SubmittedFiles, assignment: Assignment, *, seed: str) -> Recorded:
        self.seeds.append(seed)
        return Recorded(
            result=self._graded(solution, assignment, self.there), answers=b"it", withheld=self.withheld
        )

    def grade(self, files: SubmittedFiles, assignment: Assignment, *, seed: str) -> AttemptResult:
        self.seeds.append(seed)
        return self._graded(files, assignment, self.here)

    def _checks(self) -> tuple[CheckSpec, ...]:
        return tuple(
            replace(check, visibility=Visibility.HIDDEN) if check.id in self.hidden else check
            for check in rubric().checks
        )

    def _graded(self, files: SubmittedFiles, assignment: Assignment, verdicts: Verdicts) -> AttemptResult:
        def judge(check: CheckSpec, _: SubmittedFiles) -> tuple[Verdict, Blame | None]:
            return verdicts.get(check.id, Verdict.PASSED), None

        return TextEngine(judge).grade(files, assignment, seed="", on_progress=lambda _: None)


@pytest.fixture
def assignment(tmp_path: Path) -> Assignment:
    made = write_assignment(tmp_path / "doubling")
    (made.root / "rubric/test_doubling.py").write_text(SUITE)
    return made


def left_out(made: Bundled) -> dict[str, str]:
    return {check.id: check.reason for check in made.about.left_out}


def test_every_visible_check_is_in_it_and_the_hidden_are_counted(assignment: Assignment) -> None:
    made = make_bundle(assignment, Recorder(hidden=frozenset({HALVES})))
    assert [check.id for check in made.checks] == [DOUBLES, TRACES]
    assert [(part.count, part.points) for part in made.about.hidden] == [(1, Fraction(2))]
    assert left_out(made) == {}
    assert b"halves" not in b"".join(data for _, data in made.files)


def test_it_is_made_and_tried_with_the_seed_that_students_get(assignment: Assignment) -> None:
    engine = Recorder()
    made = make_bundle(assignment, engine)
    assert set(engine.seeds) == {made.about.seed} == {public_seed(assignment.version)}
    assert made.about.version == assignment.version


def test_what_must_not_leave_the_course_is_left_out_with_its_reason(assignment: Assignment) -> None:
    made = make_bundle(assignment, Recorder(withheld={TRACES: "it is measured"}))
    assert left_out(made) == {TRACES: "it is measured"}
    assert [check.id for check in made.checks] == [DOUBLES, HALVES]


@pytest.mark.parametrize("verdict", [Verdict.FAILED, Verdict.TIMED_OUT, Verdict.INTERNAL_ERROR])
def test_what_the_solution_does_not_pass_is_left_out(assignment: Assignment, verdict: Verdict) -> None:
    assert left_out(make_bundle(assignment, Recorder(there={HALVES: verdict}))) == {HALVES: NOT_PASSED}
    assert left_out(make_bundle(assignment, Recorder(here={HALVES: verdict}))) == {HALVES: NEEDS_MORE}


def test_a_check_that_became_another_on_the_way_is_left_out(assignment: Assignment) -> None:
    def cheaper(check: CheckSpec) -> CheckSpec:
        return replace(check, points=Fraction(0)) if check.id == DOUBLES else check

    assert left_out(make_bundle(assignment, Recorder(changed=cheaper))) == {DOUBLES: NEEDS_MORE}


def test_a_suite_that_cannot_be_parted_gives_no_checks_and_says_so(assignment: Assignment) -> None:
    made = make_bundle(assignment, Recorder(breaks=True))
    assert (made.checks, made.files) == ((), ())
    assert left_out(made) == dict.fromkeys((DOUBLES, TRACES, HALVES), NEEDS_MORE)


def test_equal_assignments_give_equal_zips(assignment: Assignment) -> None:
    one, other = (make_bundle(assignment, Recorder()) for _ in range(2))
    assert one.data == other.data
