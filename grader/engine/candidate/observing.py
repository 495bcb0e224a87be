"""What a piece of student code does besides returning: output, events, changed state, new traces."""

from __future__ import annotations

import os
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

import grader
from grader.engine.candidate import fingerprints, outside
from grader.engine.candidate.counting import TraceCounter

if TYPE_CHECKING:
    import types
    from collections.abc import Container, Mapping

MAX_OUTPUT = 64 << 10
MAX_CHANGES = 20

_monotonic = time.monotonic
"""The real clock: a perturbed world replaces the one in `time`."""

_WRITE_FLAGS = os.O_WRONLY | os.O_RDWR | os.O_CREAT | os.O_TRUNC | os.O_APPEND
_WATCHED = (
    "os.remove", "os.rename", "os.mkdir", "os.rmdir", "os.link", "os.symlink", "os.truncate", "os.putenv",
    "os.unsetenv", "os.system", "os.exec", "os.fork", "os.forkpty", "os.spawn", "os.posix_spawn", "os.chmod",
    "os.chown", "os.utime", "os.kill", "os.chdir", "subprocess.Popen", "socket.connect",
    "socket.bind", "socket.getaddrinfo", "shutil.copyfile", "shutil.move", "shutil.rmtree",
    "tempfile.mkstemp", "tempfile.mkdtemp", "ctypes.dlopen", "ctypes.dlsym", "signal.pthread_kill",
    "urllib.Request",
)  # fmt: skip


@dataclass(slots=True)
class Observations:
    """Filled while the code runs; plain data afterwards."""

    output: str = ""
    output_bytes: int = 0
    events: list[list[str]] = field(default_factory=list)
    state: list[list[str]] = field(default_factory=list)
    process: list[list[str]] = field(default_factory=list)
    traced: dict[str, int] = field(default_factory=dict)

    def as_json(self) -> dict[str, Any]:
        """The form that travels."""
        return {
            "output": self.output,
            "output_bytes": self.output_bytes,
            "events": self.events,
            "state": self.state,
            "process": self.process,
            "traced": self.traced,
        }


class Observer:
    """Watches this process. Descriptors 1 and 2 must be seekable files (the box sees to it)."""

    def __init__(self, counter: TraceCounter) -> None:
        self.modules: Mapping[str, types.ModuleType] = {}
        self.files: Container[str] = ()
        self._counter = counter
        self._events: list[list[str]] | None = None
        sys.addaudithook(self._hook)
        outside.hear(self._outside_read)

    @contextmanager
    def watch(self, *, ours_after_s: float | None = None) -> Iterator[Observations]:
        """Compare the world before and after the block; the block's exception passes through, observed.

        After `ours_after_s` seconds standard error holds the line of a hang, which we write there: a block
        that takes that long and ends after all has not printed it.
        """
        began = _monotonic()
        seen = Observations()
        before = fingerprints.of_submission(self.modules)
        process = fingerprints.ProcessState()
        positions = {stream: _size(stream) for stream in (1, 2)}
        counts = self._counter.snapshot()
        self._events = seen.events
        try:
            yield seen
        finally:
            self._events = None
            _flush()
            if ours_after_s is not None and _monotonic() - began >= ours_after_s:
                del positions[2]
            self._read_output(seen, positions)
            after = fingerprints.of_submission(self.modules)
            seen.state = _bounded(fingerprints.changed(before, after))
            seen.process = _bounded(fingerprints.ProcessState().changes_since(process))
            seen.traced = self._counter.since(counts)

    def _read_output(self, seen: Observations, positions: dict[int, int]) -> None:
        texts = []
        for stream, start in positions.items():
            size = _size(stream) - start
            seen.output_bytes += max(size, 0)
            if size > 0:
                texts.append(
                    os.pread(stream, min(size, MAX_OUTPUT), start).decode("utf-8", "backslashreplace")
                )
        seen.output = "".join(texts)[:MAX_OUTPUT]

    def _outside_read(self, what: outside.Read, name: str, file: str) -> None:
        if self._events is None or file not in self.files or len(self._events) >= MAX_CHANGES:
            return
        if what is not outside.Read.FILE or not _is_library(name):
            self._events.append([what.value, name[:200]])

    def _hook(self, event: str, args: tuple[Any, ...]) -> None:
        events = self._events
        if events is None or len(events) >= MAX_CHANGES:
            return
        if event == "open":
            path, mode, flags = (*args, None, None, None)[:3]
            writes = (isinstance(mode, str) and set(mode) & set("wax+")) or (
                isinstance(flags, int) and flags & _WRITE_FLAGS
            )
            if writes or not _is_library(path):
                events.append(["open", str(path)[:200], str(mode)])
        elif event in ("os.listdir", "os.scandir"):
            if args and not _is_library(args[0]) and not _is_import_folder(args[0]):
                events.append([event, str(args[0])[:200]])
        elif event in _WATCHED:
            events.append([event, str(args[0])[:200] if args else ""])


_PREFIXES = tuple(
    {
        os.path.realpath(prefix)
        for prefix in (
            sys.prefix,
            sys.base_prefix,
            Path(os.__file__).parent,
            Path(grader.__file__).parent,
        )
    }
)


_IMPORT_FOLDERS = frozenset(os.path.realpath(folder) for folder in sys.path if folder)
"""Where packages are looked for, as it was before any student code: a starting JAX asks there for plugins."""


def _is_import_folder(path: object) -> bool:
    return isinstance(path, str) and os.path.realpath(path) in _IMPORT_FOLDERS


def _is_library(path: object) -> bool:
    if not isinstance(path, str):
        return isinstance(path, int)
    real = os.path.realpath(path)
    return _tells_of_a_package(real) or real.startswith(
        (*_PREFIXES, "/usr/", "/lib", "/proc/", "/sys/", "/dev/", "/etc/")
    )


def _tells_of_a_package(real: str) -> bool:
    """Whether this is what an installed package says of itself, wherever packages are installed."""
    folder = Path(real).parent
    return folder.suffix in (".egg-info", ".dist-info") and str(folder.parent) in _IMPORT_FOLDERS


def _size(stream: int) -> int:
    try:
        return os.fstat(stream).st_size
    except OSError:
        return 0


def _flush() -> None:
    for stream in (sys.stdout, sys.stderr):
        try:
            stream.flush()
        except Exception:  # noqa: BLE001, S112 - student code may have replaced it with anything
            continue


def _bounded(changes: list[tuple[str, str, str]]) -> list[list[str]]:
    return [[part[:200] for part in change] for change in changes[:MAX_CHANGES]]
