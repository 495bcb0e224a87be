"""`grader assignment bundle`, and `grader check` with what it makes."""

from __future__ import annotations

import json
import zipfile
from dataclasses import replace
from pathlib import Path

import pytest

from grader.cli.exits import ExitCode
from grader.content.assignments import read_assignment
from grader.domain.rubric import Rubric
from grader.domain.student_bundle import public_seed
from grader.domain.verdicts import Verdict, Visibility
from tests.courses import rubric, write_assignment
from tests.unit.cli.conftest import Cli, FakeEngine, always

DOUBLES, TRACES, HALVES = rubric().checks
SUITE = "def test_it_doubles(): ...\ndef test_it_traces(): ...\ndef test_it_halves(): ...\n"


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    root = write_assignment(tmp_path / "doubling").root
    (root / "rubric/test_doubling.py").write_text(SUITE)
    return root


@pytest.fixture
def checks(cli: Cli, engine: FakeEngine, folder: Path, tmp_path: Path) -> Path:
    """What students download, with one check hidden and one left out."""
    engine.rubric_ = Rubric(checks=(DOUBLES, TRACES, replace(HALVES, visibility=Visibility.HIDDEN)))
    engine.withheld = {TRACES.id: "it is measured"}
    path = tmp_path / "checks.zip"
    result = cli("assignment", "bundle", folder, "-o", path)
    assert result.exit_code == ExitCode.FINE, result.output
    engine.rubric_ = Rubric(checks=(DOUBLES,))
    return path


@pytest.fixture
def work(tmp_path: Path) -> Path:
    path = tmp_path / "mine.py"
    path.write_text("def double(x):\n    return 2 * x\n")
    return path


def test_staff_see_what_is_in_it_and_what_is_not(
    cli: Cli, engine: FakeEngine, folder: Path, tmp_path: Path
) -> None:
    engine.withheld = {TRACES.id: "it is measured"}
    said = cli("assignment", "bundle", folder, "-o", tmp_path / "it.zip").stdout
    assert "2 checks, worth 11/3 points" in said
    assert "Left out: double.jit.it_traces, worth 4/3 points: it is measured." in said


def test_json_tells_the_same(cli: Cli, engine: FakeEngine, folder: Path) -> None:
    engine.withheld = {TRACES.id: "it is measured"}
    told = json.loads(cli("assignment", "bundle", folder, "-o", folder.parent / "it.zip", "--json").stdout)
    assert told["file"] == str(folder.parent / "it.zip")
    assert [check["id"] for check in told["left_out"]] == [TRACES.id]
    assert told["version"] == read_assignment(folder).version


@pytest.mark.usefixtures("engine")
def test_without_a_name_no_file_is_written_over(
    cli: Cli, folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    assert cli("assignment", "bundle", folder).exit_code == ExitCode.FINE
    again = cli("assignment", "bundle", folder)
    assert again.exit_code == ExitCode.WRONG_USE
    assert "cannot write doubling-checks.zip: File exists" in again.stderr


def test_nothing_to_hand_out_is_a_no(cli: Cli, engine: FakeEngine, folder: Path, tmp_path: Path) -> None:
    engine.judge = always(Verdict.FAILED)
    result = cli("assignment", "bundle", folder, "-o", tmp_path / "it.zip")
    assert result.exit_code == ExitCode.NO
    assert "no visible check can be handed out" in result.stdout
    assert not (tmp_path / "it.zip").exists()


def test_students_check_with_the_zip_and_are_told_what_they_do_not_have(
    cli: Cli, engine: FakeEngine, folder: Path, checks: Path, work: Path
) -> None:
    result = cli("check", work, "-a", checks)
    assert result.exit_code == ExitCode.FINE, result.output
    assert "1 more check, worth 2 points, stays hidden" in result.stdout
    assert "double.jit.it_traces, worth 4/3 points, runs on the server only: it is measured." in result.stdout
    assert engine.seeds[-1] == public_seed(read_assignment(folder).version)
    assert "halves" not in result.stdout.replace(HALVES.title, "")


def test_the_unpacked_folder_does_as_well_and_names_the_version_it_was_made_of(
    cli: Cli, folder: Path, checks: Path, work: Path, tmp_path: Path
) -> None:
    with zipfile.ZipFile(checks) as archive:
        archive.extractall(tmp_path / "unpacked")
    told = json.loads(cli("check", work, "-a", tmp_path / "unpacked/doubling", "--json").stdout)
    assert told["version"] == read_assignment(folder).version
    assert told["hidden"] == [{"opens": "hidden", "count": 1, "points": 2}]
    assert [notice["code"] for notice in told["notices"]] == ["check.left_out"]


@pytest.mark.parametrize("option", [["--all"], ["--seed", "abc"]])
def test_what_only_the_whole_assignment_can_do_is_refused(
    cli: Cli, checks: Path, work: Path, option: list[str]
) -> None:
    result = cli("check", work, "-a", checks, *option)
    assert result.exit_code == ExitCode.WRONG_USE
    assert "answers for one set of inputs" in result.stderr


def test_a_bundle_has_no_bundle(cli: Cli, checks: Path, tmp_path: Path) -> None:
    with zipfile.ZipFile(checks) as archive:
        archive.extractall(tmp_path / "unpacked")
    result = cli("assignment", "bundle", tmp_path / "unpacked/doubling")
    assert result.exit_code == ExitCode.WRONG_USE
    assert "it has no solution" in result.stderr


@pytest.mark.parametrize("data", [b"", b"no zip", b"PK\x03\x04 cut off"])
@pytest.mark.usefixtures("engine")
def test_a_file_that_is_no_bundle_is_refused_in_words(
    cli: Cli, work: Path, tmp_path: Path, data: bytes
) -> None:
    path = tmp_path / "broken.zip"
    path.write_bytes(data)
    result = cli("check", work, "-a", path)
    assert result.exit_code == ExitCode.WRONG_USE
    assert "broken.zip" in result.stderr
    assert "Traceback" not in result.output
