"""Boxes without a seal, for one's own code on any system: ordinary processes with a deadline.

Nothing here protects against a submission that means harm; whoever shows its results says that they are
unsealed.
"""

from __future__ import annotations

import importlib
import os
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import BinaryIO, cast

import grader
from grader.domain.errors import EngineFault
from grader.engine import box
from grader.engine.policy import BoxPolicy, End, EndKind, Role
from grader.engine.protocol import Channel
from grader.engine.watchdog import Watchdog

_END_S = 20.0
_MIB = 1 << 20


class PortableLauncher:
    """Starts every box as a fresh interpreter, which takes seconds."""

    sealed = False
    layers: tuple[str, ...] = ()

    def __init__(self, *, servers: Mapping[Role, str] = box.SERVERS, readable: tuple[str, ...] = ()) -> None:
        self._servers, self._readable = servers, readable
        self._watchdog = Watchdog()
        self._boxes: set[PortableBox] = set()

    def start(self, policy: BoxPolicy) -> PortableBox:
        """An unsealed box; EngineFault if its process cannot be started."""
        started = PortableBox(
            policy,
            self._servers[policy.role],
            readable=self._readable,
            watchdog=self._watchdog,
            on_close=self._boxes.discard,
        )
        self._boxes.add(started)
        return started

    def close(self) -> None:
        for started in tuple(self._boxes):
            started.close()


class PortableBox:
    """One ordinary process. Its channel is its standard input and output, taken away before others run."""

    def __init__(
        self,
        policy: BoxPolicy,
        module: str,
        *,
        readable: tuple[str, ...],
        watchdog: Watchdog,
        on_close: Callable[[PortableBox], None],
    ) -> None:
        self.policy = policy
        self.expires: float | None = None
        self._watchdog, self._on_close = watchdog, on_close
        self._ending = threading.Lock()
        self._reason: EndKind | None = None
        self._end: End | None = None
        self._kept: bytes | None = None
        self._folder = tempfile.TemporaryDirectory(prefix="box-", ignore_cleanup_errors=True)
        self._process = self._started(module, readable)
        self.pid = self._process.pid
        self._resident = _memory_of(self.pid)
        self._peak = 0
        reader, writer = cast("BinaryIO", self._process.stdout), cast("BinaryIO", self._process.stdin)
        self.channel = Channel(reader, writer)
        watchdog.add(self)

    @property
    def end(self) -> End | None:
        with self._ending:
            if self._end is None and (self._reason is not None or self._process.poll() is not None):
                self._settle()
            return self._end

    @contextmanager
    def deadline(self, seconds: float) -> Iterator[None]:
        outer, own = self.expires, time.monotonic() + seconds
        self.expires = own if outer is None else min(outer, own)
        self._watchdog.wake()
        try:
            yield
        finally:
            self.expires = outer

    patience = 0.0

    def waited(self) -> float:
        """Not known everywhere; nobody is graded for others here, so it is not asked."""
        return 0.0

    def output(self, limit: int = 65536) -> bytes:
        if self._kept is not None:
            return self._kept[-limit:]
        return b"".join(_tail(path, limit) for path in self._output_files())

    def overweight(self) -> bool:
        resident = self._resident()
        self._peak = max(self._peak, resident)
        return resident > self.policy.memory_mib * _MIB

    def kill(self, reason: EndKind) -> None:
        if self._reason is None and self._process.poll() is None:
            self._reason = reason
            with suppress(OSError):
                self._process.kill()

    def close(self) -> End:
        with self._ending:
            if self._end is None:
                self._settle()
            if self._kept is None:
                self._watchdog.discard(self)
                self.channel.close()
                self._kept = self.output()
                self._folder.cleanup()
                self._on_close(self)
            assert self._end is not None  # noqa: S101 - settled above
            return self._end

    def _started(self, module: str, readable: tuple[str, ...]) -> subprocess.Popen[bytes]:
        folder = self._folder.name
        program = (sys.executable, "-P", "-B", "-m", "grader.engine.box")
        try:
            return subprocess.Popen(
                [*program, self.policy.role, str(self.policy.world), module, folder],
                env=_environment(folder, readable),
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.DEVNULL,  # until the box opens its own
                bufsize=0,
            )
        except OSError as exc:
            self._folder.cleanup()
            raise EngineFault(f"{sys.executable} could not be started for a box: {exc}") from exc

    def _output_files(self) -> tuple[Path, Path]:
        folder = Path(self._folder.name)
        return folder / ".output", folder / ".errors"

    def _settle(self) -> None:
        with suppress(OSError):
            self._process.kill()
        with suppress(subprocess.TimeoutExpired):
            self._process.wait(_END_S)
        code = self._process.returncode
        self._end = self._judged(code if code is not None else -9)

    def _judged(self, code: int) -> End:
        peak = self._peak / _MIB
        if self._reason is not None:
            return End(kind=self._reason, peak_rss_mib=peak)
        if code == box.EXIT_NO_MEMORY:
            return End(kind=EndKind.OUT_OF_MEMORY, peak_rss_mib=peak)
        kind = EndKind.SIGNALLED if code < 0 else EndKind.EXITED
        return End(kind=kind, code=abs(code), peak_rss_mib=peak)


_NEEDED_BY_THE_SYSTEM = ("PATH", "SYSTEMROOT", "SYSTEMDRIVE", "LD_LIBRARY_PATH", "DYLD_LIBRARY_PATH")


def _environment(folder: str, readable: tuple[str, ...]) -> dict[str, str]:
    """What a box is told by environment: none of ours, save what an interpreter cannot start without."""
    home = str(Path(grader.__file__).parent.parent)
    return {
        **{name: os.environ[name] for name in _NEEDED_BY_THE_SYSTEM if name in os.environ},
        **dict.fromkeys(("HOME", "USERPROFILE", "TMPDIR", "TEMP", "TMP"), folder),
        "PYTHONPATH": os.pathsep.join((home, *readable)),
        "PYTHONHASHSEED": "0",
        "PYTHONUTF8": "1",
        "JAX_PLATFORMS": "cpu",
        "JAX_ENABLE_COMPILATION_CACHE": "0",
        "TF_CPP_MIN_LOG_LEVEL": "3",
    }


def _memory_of(pid: int) -> Callable[[], int]:
    """How to read a process's resident bytes; always 0 where psutil is missing."""
    try:
        psutil = importlib.import_module("psutil")
    except ImportError:
        return lambda: 0

    def resident() -> int:
        try:
            return int(psutil.Process(pid).memory_info().rss)
        except psutil.Error:
            return 0

    return resident


def _tail(path: Path, limit: int) -> bytes:
    try:
        with path.open("rb") as file:
            size = file.seek(0, os.SEEK_END)
            file.seek(max(0, size - limit))
            return file.read(limit)
    except OSError:
        return b""
