"""`grader worker`, `grader db upgrade`, `grader doctor`, and the settings that an embedded worker shares."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from grader.cli.children import Child
from grader.cli.embedded import embedded_broker, worker_environment
from grader.cli.exits import ExitCode
from grader.domain.errors import EngineFault
from grader.engine.policy import LayerStatus
from grader.services.embedded import EmbeddedValkey
from grader.services.settings import Settings, load_settings
from tests.unit.cli.conftest import Cli


@pytest.mark.usefixtures("settings")
def test_a_worker_without_a_broker_says_how_to_get_one(cli: Cli) -> None:
    result = cli("worker", "--queue", "cpu")
    assert result.exit_code == ExitCode.WRONG_USE
    assert "GRADER_BROKER_URL" in result.stderr


def test_a_queue_that_does_not_exist_is_refused_by_name(cli: Cli) -> None:
    result = cli("worker", "--queue", "tpu")
    assert result.exit_code == ExitCode.WRONG_USE
    assert "tpu" in result.stderr


def test_upgrading_twice_is_harmless(cli: Cli, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("GRADER_HOME", str(tmp_path))
    first, second = cli("db", "upgrade"), cli("db", "upgrade")
    assert (first.exit_code, second.exit_code) == (ExitCode.FINE, ExitCode.FINE)
    assert first.stdout == second.stdout
    assert "the newest" in first.stdout


def test_a_broker_that_is_set_is_kept() -> None:
    settings = load_settings({"GRADER_BROKER_URL": "redis://elsewhere/0", "GRADER_HOME": "/nowhere"})
    with embedded_broker(settings) as complete:
        assert complete is settings


def test_without_one_a_broker_is_started_and_told_to_the_worker(settings: Settings) -> None:
    with embedded_broker(settings) as complete:
        environment = worker_environment(complete)
    assert environment["GRADER_BROKER_URL"].startswith("redis+socket://")
    assert environment["GRADER_HOME"] == str(settings.home)
    assert environment["GRADER_DATABASE_URL"] == settings.database_url


class Ended:
    """A process that has ended."""

    def poll(self) -> int:
        return 3


def test_a_worker_that_has_ended_is_told_with_its_last_words(tmp_path: Path) -> None:
    log = tmp_path / "worker.log"
    log.write_text("starting\nno seal here\n\n")
    worker = Child(name="worker", process=Ended(), log=log)  # type: ignore[arg-type]
    with pytest.raises(EngineFault, match=r"exit code 3: no seal here .*worker\.log"):
        worker.require_running()


@pytest.fixture
def layers(monkeypatch: pytest.MonkeyPatch) -> list[LayerStatus]:
    """The seal as `grader doctor` finds it."""
    found = [LayerStatus(name="system call filter", available=True, required=True)]
    monkeypatch.setattr("grader.cli.diagnosis.diagnose", lambda _: tuple(found))
    return found


@pytest.mark.usefixtures("settings", "layers")
def test_a_healthy_machine_is_told_so(cli: Cli) -> None:
    result = cli("doctor")
    assert result.exit_code == ExitCode.FINE, result.output
    assert "Submissions can be graded on this machine." in result.stdout
    assert "the embedded Valkey starts and answers" in result.stdout


@pytest.mark.usefixtures("settings")
def test_a_missing_layer_is_told_with_its_remedy(cli: Cli, layers: list[LayerStatus]) -> None:
    layers.append(
        LayerStatus(name="Landlock", available=False, required=True, why="old kernel", remedy="Take 6.1.")
    )
    result = cli("doctor")
    assert result.exit_code == ExitCode.NO
    assert "old kernel" in result.stdout
    assert "Take 6.1." in result.stdout


@pytest.mark.usefixtures("settings")
def test_a_layer_that_is_not_needed_does_not_make_the_machine_ill(
    cli: Cli, layers: list[LayerStatus]
) -> None:
    layers.append(LayerStatus(name="Landlock", available=False, required=False, why="old kernel"))
    answer = json.loads(cli("doctor", "--json").stdout)
    assert answer["healthy"] is True
    assert [f["name"] for f in answer["findings"] if not f["works"]] == ["Landlock"]


@pytest.mark.usefixtures("layers")
def test_a_database_without_tables_and_a_broker_that_is_away_are_found(
    cli: Cli, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("GRADER_HOME", str(tmp_path))
    monkeypatch.setenv("GRADER_BROKER_URL", "redis://:secret@127.0.0.1:1/0")
    result = cli("doctor")
    assert result.exit_code == ExitCode.NO
    assert "grader db upgrade" in result.stdout
    assert "cannot be reached" in result.stdout
    assert "secret" not in result.stdout


@pytest.mark.usefixtures("settings", "layers")
def test_a_broker_that_is_there_is_found(cli: Cli, monkeypatch: pytest.MonkeyPatch) -> None:
    with EmbeddedValkey() as valkey:
        monkeypatch.setenv("GRADER_BROKER_URL", valkey.url)
        result = cli("doctor")
    assert result.exit_code == ExitCode.FINE, result.output
    assert "reachable" in result.stdout


@pytest.mark.usefixtures("layers")
def test_a_database_that_is_only_not_made_yet_does_not_make_the_machine_ill(
    cli: Cli, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("GRADER_HOME", str(tmp_path))
    result = cli("doctor")
    assert result.exit_code == ExitCode.FINE, result.output
    assert "not there yet" in result.stdout


@pytest.mark.parametrize("command", [("status",), ("report", "abcd1234")])
def test_commands_without_a_database_name_the_one_that_makes_it(
    cli: Cli, monkeypatch: pytest.MonkeyPatch, tmp_path: Path, command: tuple[str, ...]
) -> None:
    monkeypatch.setenv("GRADER_HOME", str(tmp_path))
    result = cli(*command)
    assert result.exit_code == ExitCode.WRONG_USE
    assert "there is no database yet" in result.stderr
    assert "grader up" in result.stderr
    assert "GRADER_DATABASE_URL" not in result.stderr
    assert list(tmp_path.iterdir()) == []
