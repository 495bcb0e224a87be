"""Layer: a control group of its own bounds each box from outside, and tells for certain if memory was over.

It counts what limits of a process do not: scratch, which lies in memory, and the kernel's own work for the
box. Groups are made only below a folder that is ours to use: one that the operator names (version 2, or one
folder for each hierarchy of version 1), or else our own group of version 2 if it was delegated to us.
"""

from __future__ import annotations

import contextlib
import itertools
import os
import re
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Self

_PROCESSES = "cgroup.procs"
_CONTROLLERS = ("memory", "pids", "cpu")
_LIMITS = {"memory": ("memory.max", "memory.limit_in_bytes"), "pids": ("pids.max",)}
"""The files that show that a group bounds something, by version."""
NEEDED = frozenset(_LIMITS)
_PERIOD_US = 100_000
_OUT_OF_MEMORY = ("memory.events", "memory.oom_control")
_KILLS = re.compile(r"^oom_kill (\d+)$", re.MULTILINE)
_NAME = "box-{pid}-{number}"
_NAMED = re.compile(r"^box-(\d+)-\d+$")
_RESIDENTS = "grader"
"""The group in which we live ourselves, as version 2 lets only leaves have both limits and processes."""
_GONE_S = 2.0
_MOVES = 20


class GroupsUnavailable(Exception):
    """No control group can be had; the text says why."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Bounds:
    """What one group may use. None for as many cores as there are."""

    memory_bytes: int
    processes: int
    cores: int | None = None

    def files(self) -> Mapping[str, str]:
        """What to write where, for both versions; files that a group does not have are passed over."""
        memory = str(self.memory_bytes)
        files = {
            "memory.max": memory,
            "memory.swap.max": "0",
            "memory.oom.group": "1",
            "memory.limit_in_bytes": memory,
            "memory.memsw.limit_in_bytes": memory,
            "pids.max": str(self.processes),
        }
        if self.cores is not None:
            quota = str(self.cores * _PERIOD_US)
            files |= {"cpu.max": f"{quota} {_PERIOD_US}", "cpu.cfs_quota_us": quota}
        return files


@dataclass(frozen=True, slots=True)
class Group:
    """The group of one box: a folder in each hierarchy."""

    folders: tuple[Path, ...]

    def doors(self) -> tuple[int, ...]:
        """Descriptors, the caller's, by each of which a process enters if it writes "0" to it."""
        return tuple(os.open(folder / _PROCESSES, os.O_WRONLY | os.O_CLOEXEC) for folder in self.folders)

    def holds(self, pid: int) -> bool:
        """Whether that process is in every one of its folders."""
        return all(pid in _members(folder) for folder in self.folders)

    def ran_out_of_memory(self) -> bool:
        """Whether the kernel killed in it because its memory was used up."""
        for folder, name in itertools.product(self.folders, _OUT_OF_MEMORY):
            found = _KILLS.search(_read(folder / name))
            if found and int(found[1]):
                return True
        return False

    def kill(self) -> None:
        """End all that is in it at once, where the kernel can; its process is killed by itself as well."""
        for folder in self.folders:
            with contextlib.suppress(OSError):
                (folder / "cgroup.kill").write_text("1")

    def remove(self) -> None:
        """Take it away once everything in it is gone. Never raises."""
        until = time.monotonic() + _GONE_S
        for folder in self.folders:
            while folder.exists():
                with contextlib.suppress(OSError):
                    folder.rmdir()
                    break
                if time.monotonic() > until:
                    break
                time.sleep(0.002)


class Groups:
    """Makes groups below folders that are ours."""

    def __init__(self, bases: Sequence[Path]) -> None:
        self._bases = tuple(bases)
        self._numbers = itertools.count()

    @classmethod
    def open(cls, bases: Sequence[Path] = (), *, needed: frozenset[str] = NEEDED) -> Self:
        """Groups below `bases`, or below our own group if there are none.

        GroupsUnavailable if there, all together, not all that is `needed` can be bounded.
        """
        groups = cls(bases or (_own_base(),))
        try:
            for base in groups._bases:
                _prepare(base)
            trial = groups.make(Bounds(memory_bytes=1 << 30, processes=64))
        except OSError as exc:
            raise GroupsUnavailable(str(exc)) from exc
        bounded = {
            what
            for (what, names), folder in itertools.product(_LIMITS.items(), trial.folders)
            if any((folder / name).exists() for name in names)
        }
        trial.remove()
        if lacking := sorted(needed - bounded):
            raise GroupsUnavailable(f"the group in {groups._bases[0]} does not bound {' and '.join(lacking)}")
        return groups

    def make(self, bounds: Bounds) -> Group:
        """A group, empty and bounded; OSError if it cannot be made."""
        name = _NAME.format(pid=os.getpid(), number=next(self._numbers))
        made = Group(tuple(base / name for base in self._bases))
        try:
            for folder in made.folders:
                folder.mkdir()
                for file, value in bounds.files().items():
                    if (folder / file).exists():
                        (folder / file).write_text(value)
        except OSError:
            made.remove()
            raise
        return made


def enter(doors: Sequence[int]) -> None:
    """Enter the group behind `doors`, which stay open."""
    for door in doors:
        os.write(door, b"0")


def _own_base(processes: Path = Path("/proc/self")) -> Path:
    """Our own group of version 2, if whoever made it left it to us; GroupsUnavailable if not."""
    place = re.search(r"^0::(/.*)$", _read(processes / "cgroup"), re.MULTILINE)
    mount = re.search(r"^\S+ (\S+) cgroup2 ", _read(processes / "mounts"), re.MULTILINE)
    if not place or not mount:
        raise GroupsUnavailable("there are no control groups of version 2 here, and none are named")
    top = Path(mount[1])
    own = top / place[1].lstrip("/")
    for base in (own, own.parent) if own != top else (own,):  # we may live in a leaf of what is ours
        if _is_ours(base, top) and os.access(base, os.W_OK):
            return base
    raise GroupsUnavailable(f"{own} was not left to us, and no other group is named")


def _is_ours(base: Path, top: Path) -> bool:
    """A container's own root has a type, the machine's has none; systemd marks what it delegates."""
    if base == top:
        return (base / "cgroup.type").exists()
    for name in ("user.delegate", "trusted.delegate"):
        with contextlib.suppress(OSError):
            if os.getxattr(base, name) == b"1":
                return True
    return False


def _prepare(base: Path) -> None:
    """Clear away what dead launchers left, and hand the limits on to groups below, where that is needed."""
    for folder in base.iterdir():
        named = _NAMED.match(folder.name)
        if named and not Path("/proc", named[1]).exists():
            with contextlib.suppress(OSError):
                folder.rmdir()
    if not (base / "cgroup.controllers").exists():
        return  # version 1: each hierarchy is bounded everywhere
    offered = _read(base / "cgroup.controllers").split()
    wanted = [name for name in _CONTROLLERS if name in offered]
    if set(wanted) - set(_read(base / "cgroup.subtree_control").split()):
        _move_out(base)
        (base / "cgroup.subtree_control").write_text(" ".join(f"+{name}" for name in wanted))


def _move_out(base: Path) -> None:
    """Move the processes of a group into one below it; new ones may come while we do."""
    for _ in range(_MOVES):
        members = _members(base)
        if not members:
            return
        (base / _RESIDENTS).mkdir(exist_ok=True)
        for pid in members:
            with contextlib.suppress(ProcessLookupError):
                (base / _RESIDENTS / _PROCESSES).write_text(str(pid))


def _members(folder: Path) -> list[int]:
    return [int(line) for line in _read(folder / _PROCESSES).split()]


def _read(path: Path) -> str:
    try:
        return path.read_text()
    except OSError:
        return ""
