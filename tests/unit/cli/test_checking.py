"""`grader check`: the answer in words or JSON, and in the exit code."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import pytest

from grader.cli.checking import UNSEALED
from grader.cli.exits import ExitCode
from grader.domain.rubric import Rubric
from grader.domain.verdicts import Blame, Verdict, Visibility
from tests.courses import rubric, write_assignment
from tests.unit.cli.conftest import Cli, FakeEngine, always

RIGHT = "def double(x):\n    return 2 * x\n"
WRONG = f"# it_traces\n{RIGHT}"


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return write_assignment(tmp_path / "doubling").root


@pytest.fixture
def file(tmp_path: Path) -> Path:
    path = tmp_path / "mine.py"
    path.write_text(RIGHT)
    return path


@pytest.mark.usefixtures("engine")
def test_a_right_file_ends_with_0_and_a_wrong_one_with_1(cli: Cli, folder: Path, file: Path) -> None:
    assert cli("check", file, "-a", folder).exit_code == ExitCode.FINE
    file.write_text(WRONG)
    result = cli("check", file, "-a", folder)
    assert result.exit_code == ExitCode.NO
    assert "3.67 of 5 points" in result.stdout or "11/3 of 5 points" in result.stdout


def test_a_check_that_nobody_could_judge_is_our_fault(
    cli: Cli, engine: FakeEngine, folder: Path, file: Path
) -> None:
    engine.judge = always(Verdict.INTERNAL_ERROR, Blame.SYSTEM)
    assert cli("check", file, "-a", folder).exit_code == ExitCode.OUR_FAULT


def test_an_undecided_speed_is_no_failure(cli: Cli, engine: FakeEngine, folder: Path, file: Path) -> None:
    engine.judge = always(Verdict.INCONCLUSIVE, Blame.SYSTEM)
    assert cli("check", file, "-a", folder).exit_code == ExitCode.FINE


@pytest.mark.usefixtures("engine")
def test_json_is_one_object_of_the_promised_shape_and_nothing_else(
    cli: Cli, folder: Path, file: Path
) -> None:
    answer = json.loads(cli("check", file, "-a", folder, "--json", "--all").stdout)
    assert answer.keys() >= {
        "assignment", "version", "score", "max_score", "graded", "criteria", "environment", "seed"
    }  # fmt: skip
    criterion = answer["criteria"][0]
    assert criterion.keys() >= {"id", "title", "family", "function", "points", "earned", "verdict", "checks"}
    check = criterion["checks"][0]
    assert check.keys() >= {"id", "verdict", "blame", "feedback", "evidence", "seconds"}
    assert answer["environment"].keys() >= {"jax", "jaxlib", "python", "device"}


@pytest.mark.usefixtures("engine")
def test_a_page_is_written_where_it_was_asked_for(cli: Cli, folder: Path, file: Path, tmp_path: Path) -> None:
    page = tmp_path / "new" / "report.html"
    result = cli("check", file, "-a", folder, "--html", page)
    assert "<!doctype html>" in page.read_text("utf-8").lower()
    assert page.as_uri() in result.stdout


def test_a_place_that_cannot_be_written_is_said_before_anything_is_graded(
    cli: Cli, engine: FakeEngine, folder: Path, file: Path
) -> None:
    result = cli("check", file, "-a", folder, "--html", file / "report.html")
    assert result.exit_code == ExitCode.WRONG_USE
    assert "--html: cannot write" in result.stderr
    assert engine.seeds == []


def test_students_run_visible_checks_and_staff_run_all(
    cli: Cli, engine: FakeEngine, folder: Path, file: Path
) -> None:
    cli("check", file, "-a", folder)
    assert engine.only == {Visibility.VISIBLE}
    cli("check", file, "-a", folder, "--all")
    assert engine.only is None


def test_a_student_is_told_of_checks_that_were_not_run(
    cli: Cli, engine: FakeEngine, folder: Path, file: Path
) -> None:
    secret = replace(rubric().checks[0], id="double.values.secret", visibility=Visibility.HIDDEN)
    engine.rubric_ = Rubric(checks=(*rubric().checks, secret))
    result = cli("check", file, "-a", folder)
    assert "1 more check" in result.stdout
    assert "secret" not in result.stdout


def test_the_inputs_are_the_same_for_every_student_and_can_be_replayed_by_staff(
    cli: Cli, engine: FakeEngine, folder: Path, file: Path
) -> None:
    cli("check", file, "-a", folder)
    file.write_text(WRONG)
    cli("check", file, "-a", folder)
    cli("check", file, "-a", folder, "--all", "--seed", "abc123")
    assert engine.seeds[0] == engine.seeds[1]
    assert engine.seeds[2] == "abc123"


def test_without_a_seal_own_code_runs_unsealed_and_that_is_said(
    cli: Cli, engine: FakeEngine, folder: Path, file: Path
) -> None:
    engine.seal = False
    result = cli("check", file, "-a", folder)
    assert result.exit_code == ExitCode.FINE
    assert UNSEALED in result.stderr
    assert UNSEALED not in result.stdout
    assert engine.asked == [None, False]


def test_without_a_seal_other_peoples_code_is_not_run(
    cli: Cli, engine: FakeEngine, folder: Path, file: Path
) -> None:
    engine.seal = False
    result = cli("check", file, "-a", folder, "--all")
    assert result.exit_code == ExitCode.OUR_FAULT
    assert "seal" in result.stderr
    assert engine.seeds == []


@pytest.mark.usefixtures("engine")
def test_what_cannot_be_used_ends_with_2_and_a_remedy(cli: Cli, folder: Path, file: Path) -> None:
    missing = cli("check", file.with_name("nothing.py"), "-a", folder)
    unknown = cli("check", file, "-a", "functional-cor")
    file.write_text("")
    empty = cli("check", file, "-a", folder)
    assert {missing.exit_code, unknown.exit_code, empty.exit_code} == {ExitCode.WRONG_USE}
    assert "Did you mean 'functional-core'?" in unknown.stderr
    assert "is empty" in empty.stderr
    assert missing.stdout == unknown.stdout == empty.stdout == ""


def test_a_seed_that_is_none_is_refused(cli: Cli, file: Path, folder: Path, engine: FakeEngine) -> None:
    result = cli("check", file, "-a", folder, "--seed", "zz")
    assert result.exit_code == ExitCode.WRONG_USE
    assert "--seed: 'zz' is not a seed" in result.stderr
    assert engine.seeds == []
