"""The guard: a command ends with whoever wanted it, however that ends."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from pathlib import Path

import psutil
import pytest

from grader.cli import guard
from tests.processes import runs, wait_for

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="workers do not run on Windows")

OBEDIENT = "import time; print('up', flush=True); time.sleep(60)"
STUBBORN = (
    f"import signal; [signal.signal(s, signal.SIG_IGN) for s in (signal.SIGTERM, signal.SIGQUIT)]; {OBEDIENT}"
)
SLOW = (
    "import signal, sys; signal.signal(signal.SIGTERM, signal.SIG_IGN);"
    f"signal.signal(signal.SIGQUIT, lambda *_: sys.exit(9)); {OBEDIENT}"
)
WITH_CHILD = f"import subprocess, sys; subprocess.Popen([sys.executable, '-c', {STUBBORN!r}]); {OBEDIENT}"


def start(code: str, *options: str) -> subprocess.Popen[str]:
    command = [sys.executable, "-I", "-S", guard.__file__, *options, sys.executable, "-c", code]
    return subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)


def up(process: subprocess.Popen[str], lines: int = 1) -> list[int]:
    """Wait until the command is up; the ids of everything below the guard."""
    assert process.stdout is not None
    for _ in range(lines):
        assert process.stdout.readline() == "up\n"
    return [child.pid for child in psutil.Process(process.pid).children(recursive=True)]


def let_go(process: subprocess.Popen[str]) -> int:
    assert process.stdin is not None
    process.stdin.close()
    code = process.wait(timeout=20)
    assert process.stdout is not None
    process.stdout.close()
    return code


def gone(pids: list[int]) -> bool:
    return not any(runs(pid) for pid in pids)


def test_a_command_that_ends_by_itself_ends_the_guard_with_its_code() -> None:
    process = start("raise SystemExit(7)")
    assert process.wait(timeout=20) == 7
    let_go(process)


def test_closing_the_pipe_asks_the_command_to_stop() -> None:
    process = start(OBEDIENT)
    pids = up(process)
    assert let_go(process) == -signal.SIGTERM % 256
    assert gone(pids)


def test_a_command_that_will_not_stop_is_killed_when_patience_is_over() -> None:
    process = start(STUBBORN, "--patience", "0.2")
    pids = up(process)
    assert let_go(process) == -signal.SIGKILL % 256
    assert gone(pids)


def test_a_command_that_is_slow_to_stop_is_told_to_hurry() -> None:
    process = start(SLOW, "--patience", "0.2")
    pids = up(process)
    assert let_go(process) == 9
    assert gone(pids)


def test_what_the_command_started_is_killed_with_it() -> None:
    process = start(WITH_CHILD, "--patience", "1")
    pids = up(process, lines=2)
    let_go(process)
    wait_for(lambda: gone(pids), within_s=5)


def test_the_folder_goes_with_the_command(tmp_path: Path) -> None:
    folder = tmp_path / "home"
    folder.mkdir()
    (folder / "database").write_text("x")
    process = start(OBEDIENT, "--remove", str(folder))
    up(process)
    let_go(process)
    assert not folder.exists()


def test_the_command_ends_when_its_owner_is_killed(tmp_path: Path) -> None:
    pids = tmp_path / "pids"
    owner = (
        "import subprocess, sys, time\n"
        f"guard = subprocess.Popen([sys.executable, '-I', '-S', {guard.__file__!r}, '--patience', '1',"
        f" sys.executable, '-c', {OBEDIENT!r}], stdin=subprocess.PIPE, stdout=subprocess.PIPE,"
        " start_new_session=True)\n"
        "guard.stdout.readline()\n"
        f"open({str(pids)!r}, 'w').write(str(guard.pid))\n"
        "print('up', flush=True); time.sleep(60)\n"
    )
    process = subprocess.Popen([sys.executable, "-c", owner], stdout=subprocess.PIPE, text=True)
    assert process.stdout is not None
    assert process.stdout.readline() == "up\n"
    guard_pid = int(pids.read_text())
    below = [guard_pid, *(child.pid for child in psutil.Process(guard_pid).children())]
    process.kill()
    process.wait()
    process.stdout.close()
    wait_for(lambda: gone(below), within_s=10)


@pytest.mark.skipif(sys.platform != "linux", reason="elsewhere no kernel tells of a parent's death")
def test_the_command_ends_when_the_guard_itself_is_killed() -> None:
    process = start(OBEDIENT)
    pids = up(process)
    os.kill(process.pid, signal.SIGKILL)
    let_go(process)
    wait_for(lambda: gone(pids), within_s=5)
