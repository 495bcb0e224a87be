"""Real workers for tests: started like `grader worker`, killed without mercy."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from types import TracebackType
from typing import Self

import psutil

REPOSITORY = Path(__file__).parents[1]

_WORKER = """
import logging, sys
from grader.domain.attempts import Queue
from grader.services.settings import load_settings
from workers.main import run_worker
logging.basicConfig(level=logging.INFO)
sys.exit(run_worker(load_settings(), queue=Queue(sys.argv[1]), processes=int(sys.argv[2])))
"""


def wait_for(condition: Callable[[], bool], *, within_s: float = 60.0, what: str = "it") -> None:
    """Look again and again until it is so."""
    deadline = time.monotonic() + within_s
    while not condition():
        assert time.monotonic() < deadline, f"waited {within_s:g} s for {what}"
        time.sleep(0.05)


def runs(pid: int) -> bool:
    """Whether a process is there and more than a corpse."""
    try:
        return psutil.Process(pid).status() != psutil.STATUS_ZOMBIE
    except psutil.NoSuchProcess:
        return False


class Worker:
    """A worker in a process group of its own, as a context; at its end nothing of it is left."""

    def __init__(
        self, environ: Mapping[str, str], *, log: Path, queue: str = "cpu", processes: int = 1
    ) -> None:
        self._log = log
        self._command = [sys.executable, "-c", _WORKER, queue, str(processes)]
        self._environ = {**os.environ, **environ, "PYTHONPATH": str(REPOSITORY)}
        self._process: subprocess.Popen[bytes] | None = None

    def __enter__(self) -> Self:
        with self._log.open("ab") as log:
            self._process = subprocess.Popen(
                self._command,
                env=self._environ,
                cwd=REPOSITORY,
                stdout=log,
                stderr=log,
                start_new_session=True,
            )
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self.process.poll() is None:
            self.kill()
        if kind is not None:
            sys.stderr.write(self._log.read_text("utf-8", "replace")[-10_000:])

    @property
    def process(self) -> subprocess.Popen[bytes]:
        assert self._process is not None
        return self._process

    @property
    def pids(self) -> list[int]:
        """The worker's parent process and everything below it."""
        parent = psutil.Process(self.process.pid)
        return [parent.pid, *(child.pid for child in parent.children(recursive=True))]

    def kill(self) -> None:
        """kill -9 of the whole process group, and wait until all of it is gone."""
        pids = self.pids
        os.killpg(self.process.pid, signal.SIGKILL)
        self.process.wait()
        wait_for(lambda: not any(runs(pid) for pid in pids), what="the worker's processes to end")

    def stop(self) -> int:
        """SIGTERM; returns the exit code."""
        self.process.terminate()
        return self.process.wait(60)


@dataclass(frozen=True, slots=True)
class Run:
    """One line of RecordingEngine's journal."""

    pid: int
    seed: str
    at: float


def read_journal(path: Path) -> list[Run]:
    """The runs begun so far, in order."""
    if not path.exists():
        return []
    return [Run(**json.loads(line)) for line in path.read_text("utf-8").splitlines()]
