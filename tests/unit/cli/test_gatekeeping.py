"""`grader assignment ...`: the gate decides what is published."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from grader.cli.exits import ExitCode
from grader.cli.gatekeeping import WITHOUT_GATE
from grader.content.assignments import read_assignment
from grader.domain.rubric import CheckSpec
from grader.domain.student_bundle import public_seed
from grader.domain.submission import SubmittedFiles
from grader.domain.verdicts import Blame, Verdict
from tests.courses import write_assignment
from tests.unit.cli.conftest import Cli, FakeEngine, always


def honest(check: CheckSpec, files: SubmittedFiles) -> tuple[Verdict, Blame | None]:
    """The starter fails everything, the solution nothing."""
    del check
    started = "..." in files.text_of(files.entry)
    return (Verdict.FAILED, Blame.STUDENT) if started else (Verdict.PASSED, None)


@pytest.fixture
def folder(tmp_path: Path, engine: FakeEngine) -> Path:
    engine.judge = honest
    return write_assignment(tmp_path / "doubling").root


def test_an_open_gate_ends_with_0(cli: Cli, folder: Path) -> None:
    result = cli("assignment", "check", folder)
    assert result.exit_code == ExitCode.FINE, result.output
    assert "The gate is open: doubling" in result.stdout
    assert "[1/4] solution, 1 of 3" in result.stderr


def test_a_shut_gate_ends_with_1_and_says_why(cli: Cli, folder: Path, engine: FakeEngine) -> None:
    engine.judge = always(Verdict.PASSED)
    result = cli("assignment", "check", folder)
    assert result.exit_code == ExitCode.NO
    assert "starter: earns 5; the manifest declares 0." in result.stdout
    assert "The gate is shut: 1 problem in doubling" in result.stdout


def test_json_holds_the_same(cli: Cli, folder: Path, engine: FakeEngine) -> None:
    answer = json.loads(cli("assignment", "check", folder, "--json").stdout)
    assert answer["passed"] is True
    assert answer["max_score"] == 5
    assert [run["score"] for run in answer["solution"]] == [5, 5, 5]
    assert answer["starter"]["declared"] == 0
    engine.judge = always(Verdict.PASSED)
    assert json.loads(cli("assignment", "check", folder, "--json").stdout)["problems"] != []


def test_a_folder_that_is_no_assignment_ends_with_2(cli: Cli, tmp_path: Path) -> None:
    result = cli("assignment", "check", tmp_path)
    assert result.exit_code == ExitCode.WRONG_USE
    assert "holds no assignment.toml" in result.stderr


@pytest.mark.usefixtures("settings")
def test_publishing_runs_the_gate_and_lists_the_version(cli: Cli, folder: Path) -> None:
    result = cli("assignment", "publish", folder)
    assert result.exit_code == ExitCode.FINE, result.output
    assert "Published doubling, version 1" in result.stdout
    assert "Doubling" in cli("assignment", "list").stdout


@pytest.mark.usefixtures("settings")
def test_publishing_again_without_a_change_makes_no_version(cli: Cli, folder: Path) -> None:
    cli("assignment", "publish", folder)
    assert "Nothing has changed since doubling, version 1" in cli("assignment", "publish", folder).stdout
    write_assignment(folder, lesson="more words")
    assert "Published doubling, version 2" in cli("assignment", "publish", folder).stdout


@pytest.mark.usefixtures("settings")
def test_a_shut_gate_publishes_nothing(cli: Cli, folder: Path, engine: FakeEngine) -> None:
    engine.judge = always(Verdict.PASSED)
    assert cli("assignment", "publish", folder).exit_code == ExitCode.NO
    assert "No assignment is published here yet" in cli("assignment", "list").stdout


@pytest.mark.usefixtures("settings")
def test_publishing_without_the_gate_says_what_is_risked(cli: Cli, folder: Path, engine: FakeEngine) -> None:
    result = cli("assignment", "publish", folder, "--without-gate")
    assert result.exit_code == ExitCode.FINE
    assert WITHOUT_GATE in result.stderr
    assert engine.seeds == [
        public_seed(read_assignment(folder).version)
    ]  # the students' checks alone are tried


def test_a_database_without_tables_is_told_with_its_remedy(cli: Cli, folder: Path) -> None:
    result = cli("assignment", "publish", folder)
    assert result.exit_code == ExitCode.WRONG_USE
    assert "grader db upgrade" in result.stderr


@pytest.mark.usefixtures("settings")
def test_assignments_that_come_with_the_grader_are_listed(cli: Cli) -> None:
    assert "functional-core" in cli("assignment", "list").stdout


def test_shipped_assignments_are_listed_without_a_database(
    cli: Cli, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("GRADER_HOME", str(tmp_path / "new"))
    result = cli("assignment", "list")
    assert result.exit_code == ExitCode.FINE
    assert "there is no database yet" in result.stdout
    assert "functional-core" in result.stdout
