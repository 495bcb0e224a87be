"""Processes, folders and descriptors of gradings: none is left behind, and the death of one costs little."""

from __future__ import annotations

import signal
import subprocess
import sys
import textwrap
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import psutil
import pytest

from grader.domain.results import AttemptResult, Progress, Stage
from grader.domain.rubric import Assignment
from grader.domain.verdicts import Blame, Verdict
from grader.engine import Engine
from tests import grading

pytestmark = [pytest.mark.linux, pytest.mark.slow]
collect_ignore_glob = [] if sys.platform == "linux" else ["*"]

REPOSITORY = Path(__file__).parents[2]
HANGS = grading.SOLUTION.replace("return 2 * x", "while True: pass")


@pytest.fixture(scope="module")
def assignment(tmp_path_factory: pytest.TempPathFactory) -> Assignment:
    return grading.write_assignment(tmp_path_factory.mktemp("course"))


@pytest.fixture(scope="module")
def engine(assignment: Assignment) -> Iterator[Engine]:
    with Engine() as engine:
        grading.grade(engine, assignment, grading.SOLUTION)
        yield engine


def below(process: psutil.Process) -> list[psutil.Process]:
    """Every living process under one, itself not counted."""
    found = []
    for child in process.children(recursive=True):
        try:
            if child.status() != psutil.STATUS_ZOMBIE:
                found.append(child)
        except psutil.NoSuchProcess:
            continue
    return found


def examiners() -> list[psutil.Process]:
    """The examiners that this process started."""
    return [child for child in psutil.Process().children() if "grader.engine.examiner" in _command(child)]


def _command(process: psutil.Process) -> str:
    try:
        return " ".join(process.cmdline())
    except psutil.NoSuchProcess:
        return ""


def until(true: Callable[[], bool], *, within: float) -> bool:
    """Whether it comes true in time."""
    limit = time.monotonic() + within
    while not (happened := true()) and time.monotonic() < limit:
        time.sleep(0.02)
    return happened


class Killer:
    """Watches an attempt and kills, once, when its second check starts."""

    def __init__(self, victims: Callable[[], list[psutil.Process]]) -> None:
        self._victims, self.killed = victims, 0
        self._before = {child.pid for child in below(psutil.Process())}

    def __call__(self, progress: Progress) -> None:
        if progress.stage is Stage.CHECKING and progress.done == 1 and not self.killed:
            for victim in self._victims():
                victim.kill()
                self.killed += 1


def grade_and_kill(engine: Engine, assignment: Assignment, killer: Killer) -> AttemptResult:
    files = grading.files(grading.SOLUTION)
    result = engine.grade(files, assignment, seed="seed", on_progress=killer)
    assert killer.killed > 0
    return result


def zygotes() -> list[psutil.Process]:
    """The examiner's only children."""
    return [child for examiner in examiners() for child in examiner.children()]


def boxes() -> list[psutil.Process]:
    """Leaves of the tree: bench and candidates."""
    return [child for child in below(psutil.Process()) if not child.children() and child not in zygotes()]


def test_after_an_attempt_only_the_warm_processes_are_left(engine: Engine, assignment: Assignment):
    before = {process.pid for process in below(psutil.Process())}
    for text in (grading.SOLUTION, HANGS, "import os\nos._exit(1)\n"):
        grading.grade(engine, assignment, text)
        assert {process.pid for process in below(psutil.Process())} == before


def test_attempts_leave_no_folder_and_no_open_file(
    assignment: Assignment, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setenv("TMPDIR", str(tmp_path))
    with Engine() as engine:
        grading.grade(engine, assignment, grading.SOLUTION)
        watched = [psutil.Process(), *below(psutil.Process())]
        folders, open_files = set(tmp_path.iterdir()), [_descriptors(process) for process in watched]
        for _ in range(10):
            grading.grade(engine, assignment, grading.SOLUTION)
        assert [_descriptors(process) for process in watched] == open_files
        assert set(tmp_path.iterdir()) == folders
    assert list(tmp_path.iterdir()) == []


def _descriptors(process: psutil.Process) -> int:
    return process.num_fds()


def test_a_closed_engine_leaves_nothing(assignment: Assignment):
    others = {process.pid for process in below(psutil.Process())}
    with Engine() as engine:
        grading.grade(engine, assignment, grading.SOLUTION)
        started = [process for process in below(psutil.Process()) if process.pid not in others]
        assert len(started) >= 3
    assert until(lambda: not any(process.is_running() for process in started), within=3)


def test_whoever_owns_the_engine_may_be_killed_and_nothing_is_left(assignment: Assignment):
    program = f"""
        from pathlib import Path
        from grader.content.assignments import read_assignment
        from grader.engine import Engine
        from tests import grading
        with Engine() as engine:
            assignment = read_assignment(Path({str(assignment.root)!r}))
            grading.grade(engine, assignment, grading.SOLUTION)
            print("warm", flush=True)
            grading.grade(engine, assignment, {HANGS!r})
    """
    owner = subprocess.Popen(
        [sys.executable, "-c", textwrap.dedent(program)], cwd=REPOSITORY, stdout=subprocess.PIPE
    )
    assert owner.stdout is not None
    assert owner.stdout.readline() == b"warm\n"
    time.sleep(1)  # it hangs now, with a candidate that does not look up
    orphans = below(psutil.Process(owner.pid))
    assert len(orphans) >= 4
    owner.send_signal(signal.SIGKILL)
    owner.wait()
    owner.stdout.close()
    assert until(lambda: not any(_alive(process) for process in orphans), within=3)


def _alive(process: psutil.Process) -> bool:
    try:
        return process.is_running() and process.status() != psutil.STATUS_ZOMBIE
    except psutil.NoSuchProcess:
        return False


def test_a_killed_examiner_leaves_what_was_judged_and_the_next_attempt_works(
    engine: Engine, assignment: Assignment
):
    result = grade_and_kill(engine, assignment, Killer(examiners))
    assert result.results[0].verdict is Verdict.PASSED
    assert set(grading.not_graded(result).values()) == {Blame.SYSTEM}
    assert grading.lost(result) == set()
    assert not result.graded
    again = grading.grade(engine, assignment, grading.SOLUTION)
    assert again.graded
    assert grading.lost(again) == set()


@pytest.mark.parametrize("victims", [zygotes, boxes], ids=["zygote", "bench and candidates"])
def test_a_killed_process_below_the_examiner_costs_at_most_the_check_in_hand(
    engine: Engine, assignment: Assignment, victims: Callable[[], list[psutil.Process]]
):
    result = grade_and_kill(engine, assignment, Killer(victims))
    assert grading.lost(result) == set()
    assert len(grading.not_graded(result)) <= 1
    assert set(grading.not_graded(result).values()) <= {Blame.SYSTEM}
    assert grading.lost(grading.grade(engine, assignment, grading.SOLUTION)) == set()
