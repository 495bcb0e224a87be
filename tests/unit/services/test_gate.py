"""The gate holds what was found against what was declared, and says every difference."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from fractions import Fraction
from pathlib import Path

import pytest

from grader.domain.errors import UploadRefused
from grader.domain.results import AttemptResult, CheckResult, Environment
from grader.domain.rubric import Assignment, CheckSpec, FunctionSpec, Mutant, Rubric
from grader.domain.submission import SubmittedFiles
from grader.domain.verdicts import DEFAULT_BLAME, Family, Verdict
from grader.services.gate import REPEATS, GateStep, run_gate
from grader.services.gate_json import as_json
from grader.services.gate_report import GateReport, LessonGap, Subject

SUM, SPEED = "total.values.adds_up", "total.jit.is_fast"
ENVIRONMENT = Environment(jax="0", jaxlib="0", numpy="0", python="0", device="cpu")


def check(check_id: str, *, points: int = 5, family: Family = Family.VALUES) -> CheckSpec:
    return CheckSpec(
        id=check_id,
        node_id=check_id,
        title=check_id,
        family=family,
        function="total",
        points=Fraction(points),
    )


RUBRIC = Rubric(checks=(check(SUM), check(SPEED, family=Family.JIT)))


class ScriptedEngine:
    """Gives each program the verdicts that a comment in its text asks for: ``# check-id: verdict``."""

    def __init__(self, rubric: Rubric = RUBRIC, *, by_run: Mapping[int, str] | None = None) -> None:
        self._rubric, self._by_run = rubric, by_run or {}
        self.seeds: list[str] = []

    def rubric(self, assignment: Assignment) -> Rubric:
        del assignment
        return self._rubric

    def grade(self, files: SubmittedFiles, assignment: Assignment, *, seed: str) -> AttemptResult:
        self.seeds.append(seed)
        text = files.text_of(files.entry) + self._by_run.get(len(self.seeds), "")
        wanted = dict(line[2:].split(": ") for line in text.splitlines() if line.startswith("# "))
        return AttemptResult(
            assignment=assignment.slug,
            version=assignment.version,
            rubric=self._rubric,
            results=tuple(
                self._result(spec, Verdict(wanted.get(spec.id, "passed"))) for spec in self._rubric.checks
            ),
            environment=ENVIRONMENT,
            seed=seed,
        )

    @staticmethod
    def _result(spec: CheckSpec, verdict: Verdict) -> CheckResult:
        return CheckResult(spec=spec, verdict=verdict, blame=DEFAULT_BLAME[verdict])


def program(**verdicts: str) -> str:
    ids = {"sum": SUM, "speed": SPEED}
    lines = [f"# {ids[name]}: {verdict}" for name, verdict in verdicts.items()]
    return "\n".join([*lines, "def total(x):\n    return x\n"])


@pytest.fixture
def root(tmp_path: Path) -> Path:
    write(tmp_path, "solution/submission.py", program())
    write(tmp_path, "starter/submission.py", program(sum="failed", speed="failed"))
    write(tmp_path, "mutants/slow.py", program(speed="failed"))
    return tmp_path


def write(root: Path, name: str, text: str) -> None:
    path = root / name
    path.parent.mkdir(exist_ok=True)
    path.write_text(text, encoding="utf-8")


def assignment(
    root: Path, *, fails: frozenset[str] = frozenset({SPEED}), starter_earns: int = 0
) -> Assignment:
    return Assignment(
        slug="sums",
        title="Sums",
        version="f" * 64,
        root=root,
        entry="submission.py",
        functions=(FunctionSpec(name="total"),),
        starter_earns=Fraction(starter_earns),
        mutants=(Mutant(name="slow", path="mutants/slow.py", fails=fails),),
    )


def says(report: GateReport) -> str:
    return "\n".join(f"{problem.name}: {problem.says}" for problem in report.problems)


def test_an_assignment_that_grades_as_declared_opens_the_gate(root: Path) -> None:
    report = run_gate(assignment(root), ScriptedEngine())
    assert report.passed
    assert report.problems == ()
    assert report.repeats_agree


def test_a_solution_that_loses_points_is_named_with_the_checks_it_fails(root: Path) -> None:
    write(root, "solution/submission.py", program(sum="timed_out"))
    report = run_gate(assignment(root), ScriptedEngine())
    assert not report.passed
    assert f"earns 5 of 10; it fails {SUM}" in says(report)


def test_a_check_worth_nothing_counts_all_the_same(root: Path) -> None:
    rubric = Rubric(checks=(check(SUM, points=0), check(SPEED)))
    write(root, "solution/submission.py", program(sum="failed"))
    assert SUM in says(run_gate(assignment(root), ScriptedEngine(rubric)))


def test_the_starter_must_earn_exactly_what_is_declared(root: Path) -> None:
    report = run_gate(assignment(root, starter_earns=2), ScriptedEngine())
    assert says(report) == "starter: earns 0; the manifest declares 2"


def test_a_mutant_that_gets_through_is_a_problem(root: Path) -> None:
    write(root, "mutants/slow.py", program())
    report = run_gate(assignment(root), ScriptedEngine())
    assert report.mutants[0].missing == {SPEED}
    assert says(report) == f"slow: passes {SPEED}, which it must fail"


def test_a_mutant_that_fails_more_than_it_names_is_a_problem(root: Path) -> None:
    write(root, "mutants/slow.py", program(sum="crashed", speed="failed"))
    report = run_gate(assignment(root), ScriptedEngine())
    assert report.mutants[0].extra == {SUM}
    assert says(report) == f"slow: also fails {SUM}, which the manifest does not name"


def test_a_mutant_that_noise_saved_is_told_as_passing(root: Path) -> None:
    write(root, "mutants/slow.py", program(speed="inconclusive"))
    assert f"passes {SPEED}" in says(run_gate(assignment(root), ScriptedEngine()))


@pytest.mark.parametrize("verdict", ["internal_error", "skipped"])
@pytest.mark.parametrize("name", ["solution/submission.py", "starter/submission.py", "mutants/slow.py"])
def test_a_check_that_broke_down_shuts_the_gate_wherever_it_happens(
    root: Path, name: str, verdict: str
) -> None:
    write(root, name, program(sum=verdict))
    report = run_gate(assignment(root), ScriptedEngine())
    assert f"was not graded on {SUM}" in says(report)


def test_an_unknown_check_is_named_with_the_nearest_known_one(root: Path) -> None:
    wrong = "total.jit.is_fats"
    report = run_gate(assignment(root, fails=frozenset({wrong, SPEED})), ScriptedEngine())
    assert [unknown.suggestion for unknown in report.unknown_checks] == [SPEED]
    assert says(report) == (f"slow: names {wrong}, a check that does not exist: did you mean {SPEED}?")


def test_an_unknown_check_like_no_other_gets_no_suggestion(root: Path) -> None:
    report = run_gate(assignment(root, fails=frozenset({"zzz", SPEED})), ScriptedEngine())
    assert says(report).endswith("does not exist")


def test_repeats_use_other_seeds_and_are_the_same_on_another_day(root: Path) -> None:
    first, second = ScriptedEngine(), ScriptedEngine()
    run_gate(assignment(root), first)
    run_gate(assignment(root), second)
    assert len(set(first.seeds[:REPEATS])) == REPEATS
    assert first.seeds == second.seeds


def test_repeats_that_disagree_are_a_problem(root: Path) -> None:
    report = run_gate(assignment(root), ScriptedEngine(by_run={2: f"\n# {SUM}: failed"}))
    assert not report.repeats_agree
    assert "other verdicts with other hidden inputs" in says(report)


def test_noise_on_the_solution_is_advice_and_no_problem(root: Path) -> None:
    report = run_gate(assignment(root), ScriptedEngine(by_run={2: f"\n# {SPEED}: inconclusive"}))
    assert report.passed
    assert report.undecided == (SPEED,)


def test_a_check_that_no_mutant_fails_is_advice(root: Path) -> None:
    report = run_gate(assignment(root), ScriptedEngine())
    assert report.unguarded == (SUM,)
    assert report.passed


def test_a_suite_without_checks_and_one_with_equal_ids_shut_the_gate(root: Path) -> None:
    bare = assignment(root, fails=frozenset())
    assert "has no checks" in says(run_gate(bare, ScriptedEngine(Rubric(checks=()))))
    twins = Rubric(checks=(check(SUM), check(SPEED), check(SPEED)))
    assert f"2 checks share the id {SPEED}" in says(run_gate(assignment(root), ScriptedEngine(twins)))


def test_whoever_watches_hears_of_every_program_before_it_is_graded(root: Path) -> None:
    heard: list[GateStep] = []
    run_gate(assignment(root), ScriptedEngine(), on_step=heard.append)
    assert [step.number for step in heard] == list(range(1, REPEATS + 3))
    assert {step.total for step in heard} == {REPEATS + 2}
    assert [step.subject for step in heard[-2:]] == [Subject.STARTER, Subject.MUTANT]


def test_a_program_that_cannot_be_read_is_refused_by_name(root: Path) -> None:
    write(root, "mutants/slow.py", "")
    with pytest.raises(UploadRefused, match=r"slow\.py"):
        run_gate(assignment(root), ScriptedEngine())


def test_a_heading_that_feedback_points_to_and_the_lesson_lacks_is_advice_and_no_problem(root: Path) -> None:
    rubric = Rubric(checks=(replace(check(SUM), lesson="#adding-up"), check(SPEED, family=Family.JIT)))
    write(root, "lesson.md", "# Sums\n\n```\n## Adding up\n```\n")
    report = run_gate(assignment(root), ScriptedEngine(rubric))
    assert report.passed
    assert report.lesson_gaps == (LessonGap(anchor="#adding-up", check_ids=(SUM,)),)
    assert as_json(report)["lesson_gaps"] == [{"anchor": "#adding-up", "checks": [SUM]}]
    write(root, "lesson.md", "# Sums\n\n## Adding up\n")
    assert run_gate(assignment(root), ScriptedEngine(rubric)).lesson_gaps == ()
