"""What the gate found, in a table and in JSON."""

from __future__ import annotations

import io
from dataclasses import replace
from fractions import Fraction

from rich.console import Console

from grader.cli.gate_table import render
from grader.domain.rubric import Mutant, Rubric
from grader.services.gate_json import as_json
from grader.services.gate_report import GateReport, LessonGap, MutantFinding, Outcome, UnknownCheck
from grader.services.margins import SpeedMargin
from tests.courses import rubric

DOUBLES, TRACES, HALVES = (check.id for check in rubric().checks)


def outcome(score: int | Fraction = 0, *, failed: set[str] | None = None) -> Outcome:
    return Outcome(
        score=Fraction(score), failed=frozenset(failed or ()), ungraded=frozenset(), undecided=frozenset()
    )


def finding(name: str, *, fails: set[str], failed: set[str]) -> MutantFinding:
    return MutantFinding(
        mutant=Mutant(name=name, path=f"mutants/{name}.py", fails=frozenset(fails), about="[red]wrong"),
        outcome=outcome(failed=failed),
    )


def report(
    *mutants: MutantFinding,
    unknown: tuple[UnknownCheck, ...] = (),
    margins: tuple[SpeedMargin, ...] = (),
) -> GateReport:
    return GateReport(
        assignment="doubling",
        version="ab" * 32,
        rubric=Rubric(checks=rubric().checks),
        starter_earns=Fraction(1, 3),
        solution=(outcome(5),) * 3,
        starter=outcome(Fraction(1, 3)),
        mutants=mutants,
        unknown_checks=unknown,
        margins=margins,
    )


def words(shown: GateReport) -> str:
    console = Console(width=160, record=True, file=io.StringIO())
    console.print(render(shown))
    return console.export_text()


def test_a_mutant_that_holds_is_said_to_hold() -> None:
    assert "fails exactly these" in words(report(finding("slow", fails={TRACES}, failed={TRACES})))


def test_a_mutant_that_does_not_hold_is_shown_with_both_differences() -> None:
    said = words(report(finding("slow", fails={TRACES}, failed={DOUBLES})))
    assert f"passes {TRACES}" in said
    assert f"also fails {DOUBLES}" in said
    assert "The gate is shut: 2 problems" in said


def test_checks_that_no_mutant_fails_are_advice() -> None:
    said = words(report(finding("slow", fails={TRACES}, failed={TRACES})))
    assert "no mutant fails these checks" in said
    assert DOUBLES in said
    assert "The gate is open" in said


def test_headings_that_the_lesson_lacks_are_advice() -> None:
    assert "headings that the lesson lacks" not in words(report())
    gap = LessonGap(anchor="#speed", check_ids=(TRACES, HALVES))
    assert f"#speed: {TRACES}, {HALVES}" in words(replace(report(), lesson_gaps=(gap,)))


def test_an_unknown_check_is_named_with_its_neighbour() -> None:
    unknown = UnknownCheck(mutant="slow", check_id="double.jit.it_trace", suggestion=TRACES)
    assert f"did you mean {TRACES}?" in words(report(unknown=(unknown,)))


def test_json_keeps_points_exact_and_ids_sorted() -> None:
    answer = as_json(report(finding("slow", fails={TRACES, DOUBLES}, failed={TRACES, DOUBLES})))
    assert answer["starter"]["declared"] == "1/3"  # type: ignore[index, call-overload]
    assert answer["mutants"][0]["must_fail"] == sorted([TRACES, DOUBLES])  # type: ignore[index, call-overload]
    assert answer["unguarded_checks"] == [HALVES]


def test_an_unknown_check_is_told_once_with_one_mark_at_its_end() -> None:
    wrong = "double.jit.it_trace_s"
    unknown = UnknownCheck(mutant="slow", check_id=wrong, suggestion=TRACES)
    said = words(report(finding("slow", fails={wrong}, failed=set()), unknown=(unknown,)))
    assert said.count(wrong) == 1
    assert "?." not in said


def margin(needed: float) -> SpeedMargin:
    return SpeedMargin(check_id=TRACES, needed=needed, ratio=17.2, low=15.9, high=18.5, pairs=24)


def test_a_threshold_is_shown_with_what_was_measured_and_what_has_room() -> None:
    said = words(report(margins=(margin(7),)))
    assert "17.2 (15.9 to 18.5)" in said
    assert "7.9" in said
    assert "holds" in said


def test_a_threshold_without_room_shuts_the_gate_and_says_what_to_set() -> None:
    said = words(report(margins=(margin(10),)))
    assert f"{TRACES}: asks for at least 10 times" in said
    assert "set at_least to 7.9 or less" in said
    assert "The gate is shut: 1 problem" in said


def test_nothing_is_said_of_speed_where_it_is_not_graded() -> None:
    assert "Speed" not in words(report())


def test_json_tells_the_room_of_each_threshold() -> None:
    (shown,) = as_json(report(margins=(margin(10),)))["speed"]  # type: ignore[misc, union-attr]
    assert (shown["check"], shown["highest_with_room"], shown["holds"]) == (TRACES, 7.9, False)  # type: ignore[index, call-overload]
