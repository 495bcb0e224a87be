"""Control groups: made where they are ours, bounding what is in them, gone with their box.

The kernel's own file system is used where a test may write it; what it does not offer here (a memory
controller that is ours) is tried on folders that look like it.
"""

from __future__ import annotations

import os
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from grader.domain.errors import EngineFault
from grader.engine.linux import launcher as launching
from grader.engine.linux.seal import groups
from grader.engine.linux.seal.groups import Bounds, Group, Groups, GroupsUnavailable
from grader.engine.policy import EndKind, Layer
from grader.engine.protocol import ChannelClosed
from tests import boxes

pytestmark = pytest.mark.linux

HIERARCHIES = tuple(map(Path, ("/sys/fs/cgroup/pids", "/sys/fs/cgroup/unified")))
BOUNDS = Bounds(memory_bytes=1 << 30, processes=8, cores=1)
FILES = ("cgroup.procs", "memory.max", "memory.swap.max", "memory.oom.group", "memory.events", "pids.max",
         "cpu.max", "cgroup.kill")  # fmt: skip


@pytest.fixture
def real(tmp_path: Path) -> Iterator[tuple[Path, ...]]:
    """Folders of the kernel's hierarchies that are this test's: version 1 for processes, 2 for killing."""
    made: list[Path] = []
    try:
        for hierarchy in HIERARCHIES:
            if not (hierarchy / "cgroup.procs").exists() or not os.access(hierarchy, os.W_OK):
                pytest.skip(f"{hierarchy} cannot be written here")
            made.append(hierarchy / f"grader-test-{os.getpid()}-{tmp_path.name}")
            made[-1].mkdir()
        yield tuple(made)
    finally:
        for folder in made:
            folder.rmdir()  # fails if a test left a group in it


@pytest.fixture
def opened(real: tuple[Path, ...]) -> Groups:
    return Groups.open(real, needed=frozenset({"pids"}))


@pytest.fixture
def imitated(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder in which new folders have the files of version 2."""
    ordinary = Path.mkdir

    def mkdir(path: Path, *arguments: int, **options: bool) -> None:
        ordinary(path, *arguments, **options)
        for name in FILES:
            (path / name).touch()

    base = tmp_path / "base"
    base.mkdir()
    monkeypatch.setattr(Path, "mkdir", mkdir)
    monkeypatch.setattr(Path, "rmdir", lambda path: [file.unlink() for file in path.iterdir()])
    return base


def entered(group: Group, code: str) -> subprocess.Popen[bytes]:
    """A process in `group` that runs `code`."""
    doors = group.doors()
    try:
        return subprocess.Popen(
            [sys.executable, "-S", "-c", f"import os\nfor door in {doors}: os.write(door, b'0')\n{code}"],
            pass_fds=doors,
            stdout=subprocess.PIPE,
        )
    finally:
        for door in doors:
            os.close(door)


# --- what the kernel does ------------------------------------------------------------------------------


def test_a_group_bounds_the_number_of_its_threads(opened: Groups):
    group = opened.make(BOUNDS)
    process = entered(
        group,
        "import threading, time\n"
        "started = 0\n"
        "try:\n"
        "    for _ in range(50):\n"
        "        threading.Thread(target=time.sleep, args=(1,), daemon=True).start()\n"
        "        started += 1\n"
        "except RuntimeError:\n"
        "    pass\n"
        "print(started, flush=True)\n"
        "os._exit(0)",
    )
    told, _ = process.communicate(timeout=30)
    group.remove()
    assert int(told) == BOUNDS.processes - 1


def test_one_kill_ends_all_that_is_in_a_group(opened: Groups):
    group = opened.make(BOUNDS)
    process = entered(group, "os.fork()\nos.write(1, b'1')\nimport time\ntime.sleep(60)")
    assert process.stdout is not None
    assert process.stdout.read(2) == b"11"
    group.kill()
    assert process.wait(10) == -9
    assert process.stdout.read() == b""  # its end comes when the last one that could write is gone
    process.stdout.close()
    group.remove()
    assert not any(folder.exists() for folder in group.folders)


def test_a_box_runs_in_a_group_of_its_own_which_goes_with_it(opened: Groups, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(launching, "_groups", lambda _: (opened, ""))
    launcher = boxes.sealed()
    try:
        assert Layer.CONTROL_GROUP.value in launcher.layers
        inmate = boxes.start(launcher)
        group = inmate.box._belongings.group
        assert group is not None
        assert inmate.run("result = 1") == 1
        assert group.holds(inmate.box.pid)
        inmate.box.close()
        assert not any(folder.exists() for folder in group.folders)
    finally:
        launcher.close()


def test_a_launcher_whose_groups_vanish_starts_no_box(
    opened: Groups, real: tuple[Path, ...], monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setattr(launching, "_groups", lambda _: (opened, ""))
    launcher = boxes.sealed()
    real[0].rmdir()
    try:
        with pytest.raises(EngineFault, match="no control group could be made"):
            boxes.start(launcher)
    finally:
        launcher.close()
        real[0].mkdir()


def test_what_a_dead_launcher_left_is_cleared_away(real: tuple[Path, ...]):
    ended = subprocess.Popen([sys.executable, "-S", "-c", ""])
    ended.wait()
    left = [base / f"box-{ended.pid}-3" for base in real]
    for folder in left:
        folder.mkdir()
    Groups.open(real, needed=frozenset({"pids"}))
    assert not any(folder.exists() for folder in left)


def test_what_is_needed_and_not_bounded_is_told(real: tuple[Path, ...]):
    with pytest.raises(GroupsUnavailable, match="does not bound memory"):
        Groups.open(real)


# --- what is written and read --------------------------------------------------------------------------


def test_the_limits_are_written_where_version_2_reads_them(imitated: Path):
    (folder,) = Groups.open([imitated]).make(BOUNDS).folders
    read = {name: (folder / name).read_text() for name in FILES}
    assert (read["memory.max"], read["memory.swap.max"], read["pids.max"]) == (str(1 << 30), "0", "8")
    assert read["cpu.max"] == "100000 100000"


@pytest.mark.parametrize(
    "file, text, answer",
    [
        ("memory.events", "low 0\nhigh 0\nmax 3\noom 1\noom_kill 1\n", True),
        ("memory.events", "low 0\nhigh 0\nmax 3\noom 1\noom_kill 0\n", False),
        ("memory.oom_control", "oom_kill_disable 0\nunder_oom 0\noom_kill 2\n", True),
        ("memory.oom_control", "oom_kill_disable 0\nunder_oom 0\n", False),
    ],
)
def test_the_kernel_is_asked_whether_memory_was_over(tmp_path: Path, file: str, text: str, *, answer: bool):
    (tmp_path / file).write_text(text)
    assert Group((tmp_path,)).ran_out_of_memory() is answer


def test_a_box_whose_group_ran_out_of_memory_is_told_from_one_that_was_killed(
    launcher: launching.SealedLauncher, tmp_path: Path
):
    ends = []
    for kills in (1, 0):
        inmate = boxes.start(launcher)
        (tmp_path / "memory.events").write_text(f"oom_kill {kills}\n")
        inmate.box._belongings.group = Group((tmp_path,))
        with pytest.raises(ChannelClosed):
            inmate.run("import os, signal\nos.kill(os.getpid(), signal.SIGKILL)")
        time.sleep(0.3)
        end = inmate.box.end
        inmate.box._belongings.group = None
        inmate.box.close()
        assert end is not None
        ends.append(end.kind)
    assert ends == [EndKind.OUT_OF_MEMORY, EndKind.SIGNALLED]


# --- which group is ours -------------------------------------------------------------------------------


def place(tmp_path: Path, path: str, *, root_is_ours: bool = False) -> Path:
    """What /proc/self says of a process in group `path` of a version 2 hierarchy; answers both folders."""
    top = tmp_path / "cgroup"
    (top / path.lstrip("/")).mkdir(parents=True)
    if root_is_ours:
        (top / "cgroup.type").touch()
    (tmp_path / "cgroup_of_self").mkdir()
    proc = tmp_path / "cgroup_of_self"
    (proc / "cgroup").write_text(f"4:memory:/elsewhere\n0::{path}\n")
    (proc / "mounts").write_text(f"proc /proc proc rw 0 0\ncgroup2 {top} cgroup2 rw 0 0\n")
    return proc


def marked(monkeypatch: pytest.MonkeyPatch, *folders: Path) -> None:
    def getxattr(path: Path, name: str) -> bytes:
        if path in folders and name == "user.delegate":
            return b"1"
        raise OSError

    monkeypatch.setattr(os, "getxattr", getxattr)


def test_the_root_of_a_container_is_ours_and_that_of_the_machine_is_not(tmp_path: Path):
    (tmp_path / "container").mkdir()
    container = place(tmp_path / "container", "/", root_is_ours=True)
    assert groups._own_base(container) == tmp_path / "container" / "cgroup"
    (tmp_path / "machine").mkdir()
    machine = place(tmp_path / "machine", "/")
    with pytest.raises(GroupsUnavailable, match="was not left to us"):
        groups._own_base(machine)


@pytest.mark.parametrize("path", ["/grader.service", "/grader.service/grader"])
def test_a_delegated_service_is_ours_also_from_the_leaf_we_live_in(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, path: str
):
    proc = place(tmp_path, path)
    service = tmp_path / "cgroup" / "grader.service"
    marked(monkeypatch, service)
    assert groups._own_base(proc) == service


def test_a_group_that_nobody_left_to_us_is_let_alone(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    proc = place(tmp_path, "/user.slice/session-1.scope")
    marked(monkeypatch)
    with pytest.raises(GroupsUnavailable, match=r"session-1\.scope was not left to us"):
        groups._own_base(proc)


def test_limits_are_handed_on_after_we_moved_into_a_leaf(tmp_path: Path):
    (tmp_path / "cgroup.controllers").write_text("cpuset cpu io memory pids\n")
    (tmp_path / "cgroup.subtree_control").write_text("\n")
    (tmp_path / "cgroup.procs").write_text("")
    groups._prepare(tmp_path)
    assert (tmp_path / "cgroup.subtree_control").read_text() == "+memory +pids +cpu"
