"""The command line with the real engine: grade here, and hand in to a grader that is up."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import psutil
import pytest

from grader.content.assignments import find_assignment
from tests.processes import REPOSITORY, runs, wait_for

pytestmark = [
    pytest.mark.slow,
    pytest.mark.linux,
    pytest.mark.timeout(600),
    pytest.mark.skipif(sys.platform != "linux", reason="grading sealed off needs Linux"),
]

SLUG = "functional-core"
SAMPLES = find_assignment(SLUG) / "samples"


class Grader:
    """The `grader` command in processes of its own."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._environ = {
            **{name: value for name, value in os.environ.items() if not name.startswith("GRADER_")},
            "PYTHONPATH": str(REPOSITORY),
            "GRADER_HOME": str(folder / "home"),
            "COLUMNS": "160",
            "NO_COLOR": "1",
        }

    def __call__(self, *args: str | Path) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            self._command(args),
            cwd=self._folder,
            env=self._environ,
            capture_output=True,
            text=True,
            check=False,
        )

    def start(self, *args: str) -> subprocess.Popen[str]:
        return subprocess.Popen(
            self._command(args),
            cwd=self._folder,
            env=self._environ,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
        )

    @staticmethod
    def _command(args: tuple[str | Path, ...]) -> list[str]:
        return [sys.executable, "-m", "grader.cli", *(str(arg) for arg in args)]


@pytest.fixture
def grader(tmp_path: Path) -> Grader:
    return Grader(tmp_path)


@pytest.fixture
def up(grader: Grader) -> Iterator[subprocess.Popen[str]]:
    """`grader up`, with an assignment published."""
    process = grader.start("up")
    assert process.stdout is not None
    assert "The grader is up: http://127.0.0.1:" in process.stdout.readline()
    published = grader("assignment", "publish", SLUG, "--without-gate")
    assert published.returncode == 0, published.stderr
    yield process
    process.kill()
    process.wait()
    process.stdout.close()


def failed_checks(answer: Mapping[str, Any]) -> dict[str, Mapping[str, Any]]:
    return {
        check["id"]: check["feedback"]
        for criterion in answer["criteria"]
        for check in criterion["checks"]
        if check["verdict"] not in ("passed", "inconclusive")
    }


def test_check_grades_here_without_database_or_queue(grader: Grader, tmp_path: Path) -> None:
    done = grader("check", SAMPLES / "prints.py", "--assignment", SLUG, "--json", "--html", "report.html")
    assert done.returncode == 1, done.stderr
    failed = failed_checks(json.loads(done.stdout))
    assert list(failed) == ["normalize.purity.depends_on_x_alone"]
    assert failed["normalize.purity.depends_on_x_alone"]["line"] == 7
    assert not (tmp_path / "home").exists()
    assert (tmp_path / "report.html").exists()


def test_the_same_file_gets_the_same_verdicts_again(grader: Grader) -> None:
    def verdicts() -> list[tuple[str, str]]:
        answer = json.loads(grader("check", SAMPLES / "right.py", "-a", SLUG, "--all", "--json").stdout)
        return [(check["id"], check["verdict"]) for part in answer["criteria"] for check in part["checks"]]

    assert verdicts() == verdicts()


def test_what_is_handed_in_to_a_grader_that_is_up_comes_back_graded(
    grader: Grader, up: subprocess.Popen[str]
) -> None:
    done = grader("submit", SAMPLES / "reuses_key.py", "--assignment", SLUG, "--user", "ada", "--wait")
    assert done.returncode == 0, done.stderr
    assert "PRNG keys" in done.stdout
    [attempt] = json.loads(grader("status", "--json").stdout)["attempts"]
    assert (attempt["state"], attempt["score"], attempt["max_score"]) == ("graded", 93, 100)
    below = [child.pid for child in psutil.Process(up.pid).children(recursive=True)]
    up.send_signal(signal.SIGINT)
    assert up.wait(timeout=30) == 0
    assert up.stdout is not None
    said = up.stdout.read()
    assert f"ada, {SLUG}, submission 1, attempt 1: 93 / 100 points" in said
    assert "Everything is stopped." in said
    wait_for(lambda: not any(runs(pid) for pid in below), within_s=20, what="every process to be gone")
