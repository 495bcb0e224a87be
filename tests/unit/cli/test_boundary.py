"""Failures end in words and an exit code, never in a traceback."""

from __future__ import annotations

import errno
import os
import subprocess
import sys
from pathlib import Path

import pytest
import typer
from typer.testing import CliRunner

from grader.cli.boundary import BoundaryGroup, write_log
from grader.cli.exits import ExitCode, leave
from grader.domain.errors import (
    AssignmentInvalid,
    ConfigurationInvalid,
    EngineFault,
    GraderError,
    NotAllowed,
    NotFound,
    SealUnavailable,
    UploadRefused,
)


def app_that(fails_with: BaseException) -> typer.Typer:
    app = typer.Typer(cls=BoundaryGroup, pretty_exceptions_enable=False)

    @app.command()
    def command() -> None:
        raise fails_with

    @app.callback()
    def root() -> None:
        pass

    return app


@pytest.fixture(autouse=True)
def _home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("GRADER_HOME", str(tmp_path / "home"))


def run(error: BaseException) -> tuple[int, str]:
    result = CliRunner().invoke(app_that(error), ["command"])
    assert result.stdout == ""
    return result.exit_code, result.stderr


@pytest.mark.parametrize(
    "error",
    [
        UploadRefused("empty", "a.py", "is empty.", "Save it first."),
        AssignmentInvalid(Path("x"), "has no manifest."),
        NotFound("assignment", "jaxx"),
        NotAllowed("only staff may do that"),
        ConfigurationInvalid("GRADER_HOME", "is a file."),
    ],
    ids=lambda error: type(error).__name__,
)
def test_what_the_caller_can_mend_is_said_as_it_is_and_ends_with_2(error: GraderError) -> None:
    code, said = run(error)
    assert code == ExitCode.WRONG_USE
    assert said == f"grader: {error}\n"


@pytest.mark.parametrize("error", [EngineFault("the examiner died"), SealUnavailable("seccomp", "no kernel")])
def test_what_only_we_can_mend_ends_with_3(error: GraderError) -> None:
    code, said = run(error)
    assert code == ExitCode.OUR_FAULT
    assert str(error) in said


@pytest.mark.parametrize("number", [errno.ENOSPC, errno.EDQUOT])
def test_a_full_disk_is_told_plainly_and_leaves_no_log(number: int, tmp_path: Path) -> None:
    code, said = run(OSError(number, os.strerror(number)))
    assert code == ExitCode.OUR_FAULT
    assert (
        said
        == f"grader: something could not be written: {os.strerror(number)}. Make room, or write elsewhere.\n"
    )
    assert not (tmp_path / "home").exists()


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="there is no device that is always full here")
@pytest.mark.parametrize("arguments", [("--version",), ("--help",)])
def test_an_answer_that_does_not_fit_is_no_traceback(arguments: tuple[str, ...]) -> None:
    with Path("/dev/full").open("w") as full:
        run = subprocess.run(
            [sys.executable, "-m", "grader.cli", *arguments],
            stdout=full, stderr=subprocess.PIPE, text=True, timeout=60, check=False,
        )  # fmt: skip
    assert run.returncode == ExitCode.OUR_FAULT
    assert run.stderr.startswith("grader: something could not be written: No space left")
    assert "Traceback" not in run.stderr


def test_an_interrupt_while_the_command_line_is_still_imported_is_one_line() -> None:
    code = (
        "import sys\n"
        "class Interrupting:\n"
        "    def find_spec(self, name, path, target=None):\n"
        "        if name == 'grader.cli.app':\n"
        "            raise KeyboardInterrupt\n"
        "sys.meta_path.insert(0, Interrupting())\n"
        "from grader.cli.main import main\n"
        "main()\n"
    )
    run = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, timeout=60, check=False
    )
    assert (run.returncode, run.stderr) == (ExitCode.INTERRUPTED, "Interrupted.\n")


def test_an_unknown_failure_ends_with_3_and_names_a_log_that_holds_the_traceback(tmp_path: Path) -> None:
    code, said = run(ZeroDivisionError("a secret detail"))
    (log,) = (tmp_path / "home" / "logs").iterdir()
    assert code == ExitCode.OUR_FAULT
    assert "Traceback" not in said
    assert str(log) in said
    assert "ZeroDivisionError: a secret detail" in log.read_text("utf-8")


def test_markup_in_a_message_is_text() -> None:
    assert "[/red] [link=x]" in run(NotFound("file", "[/red] [link=x]"))[1]


def test_a_home_that_cannot_be_written_does_not_hide_the_failure(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    blocker = tmp_path / "file"
    blocker.write_text("")
    monkeypatch.setenv("GRADER_HOME", str(blocker / "home"))
    monkeypatch.setattr("tempfile.gettempdir", lambda: str(tmp_path / "elsewhere"))
    log = write_log(ValueError("x"))
    assert log is not None
    assert log.parent == tmp_path / "elsewhere"


def test_settings_that_are_themselves_broken_do_not_hide_the_failure(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("GRADER_NO_SUCH_SETTING", "1")
    monkeypatch.setattr("tempfile.gettempdir", lambda: str(tmp_path))
    assert write_log(ValueError("x")) is not None


def test_ctrl_c_ends_with_130_and_no_traceback() -> None:
    code, said = run(KeyboardInterrupt())
    assert code == ExitCode.INTERRUPTED
    assert "Traceback" not in said


def test_leaving_fine_falls_through_and_no_ends_the_command() -> None:
    leave(ExitCode.FINE)
    with pytest.raises(typer.Exit) as stopped:
        leave(ExitCode.NO)
    assert stopped.value.exit_code == 1


def test_the_log_names_the_command(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "argv", ["grader", "check", "x.py"])
    log = write_log(ValueError("x"))
    assert log is not None
    assert "grader check x.py" in log.read_text("utf-8")
