"""The real demo: a real queue, worker and engine, every verdict as expected, nothing left behind."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import psutil
import pytest

from grader.cli.demo.samples import read_samples
from grader.content.assignments import find_assignment
from tests.processes import REPOSITORY, runs, wait_for

pytestmark = [
    pytest.mark.slow,
    pytest.mark.linux,
    pytest.mark.timeout(900),
    pytest.mark.skipif(sys.platform != "linux", reason="workers grade sealed off, which needs Linux"),
]

DEMO = (sys.executable, "-m", "grader.cli", "demo")


@pytest.fixture
def place(tmp_path: Path) -> Path:
    """A folder to run in, with its own folder for temporary files, so that leftovers can be seen."""
    (tmp_path / "tmp").mkdir()
    return tmp_path


@pytest.fixture
def environ(place: Path) -> dict[str, str]:
    return {
        **{name: value for name, value in os.environ.items() if not name.startswith("GRADER_")},
        "PYTHONPATH": str(REPOSITORY),
        "TMPDIR": str(place / "tmp"),
        "NO_COLOR": "1",
        "COLUMNS": "160",
    }


@pytest.fixture
def running(place: Path, environ: dict[str, str]) -> Iterator[subprocess.Popen[str]]:
    """A demo that has come as far as grading."""
    log = place / "said"
    with log.open("w") as sink:
        process = subprocess.Popen(DEMO, cwd=place, env=environ, stdout=sink, stderr=sink, text=True)
    try:
        wait_for(lambda: "checking" in log.read_text(), within_s=120, what="the first check")
        yield process
    finally:
        process.kill()
        process.wait()


def left_below(place: Path) -> list[str]:
    return sorted(path.name for path in (place / "tmp").iterdir())


def test_every_sample_loses_exactly_the_points_of_its_fault(place: Path, environ: dict[str, str]) -> None:
    done = subprocess.run(
        [*DEMO, "--out", "pages"], cwd=place, env=environ, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stdout + done.stderr
    assert "Every sample lost exactly the points of its fault." in done.stdout
    assert done.stderr == ""
    for sample in read_samples(find_assignment("functional-core")):
        assert f"  {sample.name}: waiting" in done.stdout or f"  {sample.name}: checking" in done.stdout
        assert f"  {sample.name}: {sample.score} / 100 points" in done.stdout
        page = (place / "pages" / f"{sample.path.stem}.html").read_text("utf-8")
        assert sample.student in page
        assert (place / "pages" / "index.html").read_text("utf-8").count(f"{sample.path.stem}.html") >= 1
    assert (place / "pages" / "index.html").as_uri() in done.stdout
    assert 'id="prng-keys"' in (place / "pages" / "lesson.html").read_text("utf-8")
    assert left_below(place) == []


@pytest.mark.parametrize("stopped_by", [signal.SIGINT, signal.SIGTERM, signal.SIGKILL])
def test_a_demo_that_is_stopped_leaves_no_process_and_no_file(
    place: Path, running: subprocess.Popen[str], stopped_by: signal.Signals
) -> None:
    below = [child.pid for child in psutil.Process(running.pid).children(recursive=True)]
    assert len(below) >= 4  # broker, worker, engine and what guards them
    running.send_signal(stopped_by)
    code = running.wait(timeout=30)
    assert code == (130 if stopped_by is signal.SIGINT else -stopped_by)
    wait_for(lambda: not any(runs(pid) for pid in below), within_s=20, what="every process to be gone")
    wait_for(lambda: left_below(place) == [], within_s=10, what="every file to be gone")
    assert "Traceback" not in (place / "said").read_text()


def test_a_place_that_cannot_be_written_is_said_at_once(place: Path, environ: dict[str, str]) -> None:
    (place / "file").write_text("")
    done = subprocess.run(
        [*DEMO, "--out", "file/pages"], cwd=place, env=environ, capture_output=True, text=True, check=False
    )
    assert done.returncode == 2
    assert "--out: cannot write" in done.stderr
    assert done.stdout == ""  # nothing was begun
    assert left_below(place) == []
