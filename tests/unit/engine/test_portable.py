"""Unsealed boxes: ordinary processes that answer, are killed in time, and leave nothing behind."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import psutil
import pytest

from grader.domain.errors import EngineFault
from grader.engine.policy import End, EndKind
from grader.engine.portable import PortableLauncher
from grader.engine.protocol import ChannelClosed
from tests import boxes
from tests.boxes import Inmate

REPOSITORY = Path(__file__).parents[3]


@pytest.fixture
def launcher() -> Iterator[PortableLauncher]:
    launcher = boxes.unsealed()
    yield launcher
    launcher.close()


@pytest.fixture
def inmate(launcher: PortableLauncher) -> Inmate:
    return boxes.start(launcher, world=2)


def ended(inmate: Inmate, code: str, *, within: float = 30) -> End:
    inmate.send(code)
    with pytest.raises(ChannelClosed), inmate.box.deadline(within):
        inmate.box.channel.receive()
    return inmate.box.close()


def test_a_box_answers_in_its_world_with_its_output_apart(inmate: Inmate):
    inmate.run("import os, sys; print('out', flush=True); print('err', file=sys.stderr)")
    assert inmate.run("result = [world, sys.stdin.read()]") == [2, ""]
    assert inmate.run("result = os.pread(1, 10, 0).decode()").strip() == "out"
    assert inmate.box.end is None
    end = inmate.box.close()
    assert inmate.box.close() is end
    assert inmate.box.output().split() == [b"out", b"err"]
    assert not psutil.pid_exists(inmate.box.pid)


def test_its_folder_is_its_own_and_goes_with_it(inmate: Inmate):
    folder = Path(inmate.run("import os; open('x', 'w').close(); result = os.getcwd()"))
    assert (folder / "x").exists()
    inmate.box.close()
    assert not folder.exists()


def test_variables_of_ours_stay_with_us(launcher: PortableLauncher, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setenv("GRADER_SECRET", "needle")
    inmate = boxes.start(launcher)
    assert "needle" not in inmate.run("import os; result = str(dict(os.environ))")


def test_a_deadline_ends_a_loop(inmate: Inmate):
    inmate.run("pass")
    assert ended(inmate, "while True: pass", within=0.3).kind is EndKind.DEADLINE


def test_ends_are_told_apart(launcher: PortableLauncher):
    first, second, third = (boxes.start(launcher) for _ in range(3))
    end = ended(first, "import os; os._exit(3)")
    assert (end.kind, end.code) == (EndKind.EXITED, 3)
    second.run("channel.receive = lambda: bytes(1 << 60)")
    assert ended(second, "pass").kind is EndKind.OUT_OF_MEMORY
    end = ended(third, "import os; os.abort()")
    assert end.kind is (EndKind.EXITED if os.name == "nt" else EndKind.SIGNALLED)


def test_memory_is_watched(launcher: PortableLauncher):
    inmate = boxes.start(launcher, memory_mib=500)
    code = "import time; kept = []\nwhile True: kept.append(bytearray(b'x') * (8 << 20)); time.sleep(0.01)"
    end = ended(inmate, code)
    assert end.kind is EndKind.OUT_OF_MEMORY
    assert end.peak_rss_mib > 450


def test_an_interpreter_that_cannot_start_is_our_fault(
    launcher: PortableLauncher, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setattr(sys, "executable", "/not/there/python")
    with pytest.raises(EngineFault, match="/not/there/python could not be started"):
        boxes.start(launcher)


def test_a_loop_does_not_outlive_whoever_would_have_killed_it():
    code = """if True:
        from tests import boxes
        inmate = boxes.start(boxes.unsealed())
        print(inmate.box.pid, inmate.run("import os; result = os.getcwd()"), flush=True)
        inmate.send("while True: pass")
        import os; os._exit(0)
    """
    run = subprocess.run(
        [sys.executable, "-c", code], cwd=REPOSITORY, capture_output=True, text=True, check=True
    )
    limit = time.monotonic() + 5
    pid, folder = run.stdout.split()
    while psutil.pid_exists(int(pid)) and time.monotonic() < limit:
        time.sleep(0.1)
    assert not psutil.pid_exists(int(pid))
    assert not Path(folder).exists()
