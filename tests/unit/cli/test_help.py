"""Every command explains itself, with an example, at once."""

from __future__ import annotations

import subprocess
import sys
from itertools import pairwise

import pytest
import typer
from typer.testing import CliRunner

from grader.cli.app import app
from grader.cli.commands import Panel

COMMANDS = [
    "demo",
    "check",
    "submit",
    "report",
    "status",
    "request",
    "login",
    "logout",
    "whoami",
    "receipt verify",
    "receipt download",
    "course list",
    "course create",
    "course show",
    "course settings",
    "roster list",
    "roster import",
    "roster remove",
    "roster invite",
    "roster set",
    "assignment check",
    "assignment bundle",
    "assignment publish",
    "assignment list",
    "assignment starter",
    "assignment dates",
    "assignment release",
    "assignment extend",
    "assignment extensions",
    "review queue",
    "review show",
    "review comment",
    "review edit",
    "review delete",
    "review adjust",
    "review revoke",
    "review answer",
    "review mark",
    "review again",
    "review clusters",
    "review comment-cluster",
    "review bank list",
    "review bank keep",
    "review bank edit",
    "review bank drop",
    "regrade plan",
    "regrade list",
    "regrade show",
    "regrade apply",
    "regrade undo",
    "regrade discard",
    "grades show",
    "grades export",
    "up",
    "web",
    "account reset",
    "worker",
    "doctor",
    "db upgrade",
]


def run(*args: str) -> str:
    result = CliRunner().invoke(app, [*args], env={"COLUMNS": "100", "NO_COLOR": "1"}, prog_name="grader")
    assert result.exit_code == 0, result.output
    return result.stdout


@pytest.mark.parametrize("command", COMMANDS)
def test_each_command_has_help_with_an_example(command: str) -> None:
    said = run(*command.split(), "--help")
    assert f"$ grader {command}" in said


@pytest.mark.parametrize("command", COMMANDS)
def test_help_breaks_lines_only_where_the_terminal_ends(command: str) -> None:
    prose = run(*command.split(), "--help").split("Usage:")[1].split("╭")[0].splitlines()[1:]
    for line, following in pairwise(line.strip() for line in prose):
        if line and following:
            assert len(f"{line} {following.split()[0]}") > 96, f"{line!r} has room for more"


def test_the_list_above_holds_every_command() -> None:
    def names(group: object, prefix: str = "") -> list[str]:
        children = getattr(group, "commands", None)
        if children is None:
            return [prefix.strip()]
        return [name for key, child in children.items() for name in names(child, f"{prefix} {key}")]

    assert sorted(names(typer.main.get_command(app))) == sorted(COMMANDS)


def test_the_overview_sorts_commands_by_person() -> None:
    said = run("--help")
    positions = [said.index(panel.value) for panel in Panel]
    assert positions == sorted(positions)


def test_no_arguments_mean_help() -> None:
    result = CliRunner().invoke(app, [], prog_name="grader")
    assert "Usage: grader" in result.output


def test_a_misspelt_command_gets_a_suggestion_and_2() -> None:
    result = CliRunner().invoke(app, ["chek"], prog_name="grader")
    assert result.exit_code == 2
    assert "check" in result.stderr


def test_help_needs_no_database_no_queue_and_no_jax() -> None:
    code = (
        "import sys; from grader.cli.app import app; import typer; typer.main.get_command(app);"
        "heavy = {'jax', 'numpy', 'sqlalchemy', 'celery', 'jinja2', 'httpx', 'pydantic'} & set(sys.modules);"
        "sys.exit(f'imported {sorted(heavy)}' if heavy else 0)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr


def test_shell_completion_offers_the_commands() -> None:
    done = subprocess.run(
        [sys.executable, "-m", "grader.cli"],
        env={"_GRADER_COMPLETE": "complete_bash", "COMP_WORDS": "grader ass", "COMP_CWORD": "1", "PATH": ""},
        capture_output=True,
        text=True,
        check=False,
    )
    assert "assignment" in done.stdout


def test_the_version_is_printed() -> None:
    assert run("--version").startswith("grader ")
