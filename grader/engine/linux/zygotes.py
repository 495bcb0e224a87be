"""A zygote as the launcher holds it: started clean, told what to fork, listened to, and ended for certain."""

from __future__ import annotations

import os
import select
import subprocess
import sys
import tempfile
import threading
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import IO, Any

import grader
from grader.domain.errors import EngineFault
from grader.engine.linux import control
from grader.engine.linux.control import Control
from grader.engine.linux.orders import Order, Setup
from grader.engine.policy import Layer

_READY_S = 120.0
"""A cold disk may take this long to import JAX."""
_START_S = 30.0
_END_S = 5.0


@dataclass(slots=True)
class Pending:
    """What the zygote tells about one box as it happens."""

    started: threading.Event = field(default_factory=threading.Event)
    ended: threading.Event = field(default_factory=threading.Event)
    pidfd: int | None = None
    why: str = ""
    report: Mapping[str, Any] | None = None
    """``code`` (negative: a signal), ``peak_kib``, ``cpu_s``; None while it runs, or if nobody can tell."""


class Zygote:
    """A running zygote. When it is gone it stays gone: start another."""

    def __init__(
        self, *, modules: tuple[str, ...], readable: tuple[str, ...], layers: frozenset[Layer]
    ) -> None:
        self._errors = tempfile.TemporaryFile()  # noqa: SIM115 - closed with the zygote
        self._pending: dict[int, Pending] = {}
        self._lock = threading.Lock()
        self._gone = threading.Event()
        self._listener = threading.Thread(target=self._listen, name="zygote listener", daemon=True)
        self._process, self._control = _spawned(modules, readable, layers, self._errors)
        try:
            ready = self._await_ready()
        except BaseException:
            self.close()
            raise
        self.layers = frozenset(map(Layer, ready["layers"]))
        self.notes: Mapping[str, str] = ready["notes"]
        """For each layer that is off, why."""
        self.failures: Mapping[str, str] = ready["failures"]
        """For each module that could not be imported, why."""
        self._listener.start()

    @property
    def alive(self) -> bool:
        return not self._gone.is_set()

    def start(self, order: Order, descriptors: tuple[int, ...]) -> Pending:
        """Have a box forked. EngineFault if it cannot be.

        `descriptors` are its channel, where its output and errors go, and the doors of its control group.
        """
        pending = Pending()
        with self._lock:
            self._pending[order.number] = pending
            with suppress(OSError):  # if it is gone, the listener says so
                self._control.send({"op": "start", **order.to_message()}, descriptors)
        if not self.alive or not pending.started.wait(_START_S) or pending.pidfd is None:
            raise EngineFault(
                f"the zygote did not fork a box: {pending.why or 'no answer'}. {self._said()}".strip()
            )
        return pending

    def close(self) -> None:
        """End it, and with it every box. Never raises."""
        self._control.shut()
        with suppress(subprocess.TimeoutExpired):
            self._process.wait(_END_S)
        with suppress(OSError):
            self._process.kill()
        self._process.wait()
        if self._listener.ident is not None:
            self._listener.join(_END_S)
        self._gone.set()
        self._control.close()
        self._errors.close()

    def _await_ready(self) -> dict[str, Any]:
        if select.select([self._control], [], [], _READY_S)[0]:
            with suppress(EOFError):
                return self._control.receive()[0]
        raise EngineFault(f"the zygote did not come up. {self._said()}".strip())

    def _listen(self) -> None:
        with suppress(EOFError, OSError):
            while True:
                self._take_in(*self._control.receive())
        with self._lock:
            self._gone.set()
            for pending in self._pending.values():
                pending.why = pending.why or "it is gone"
                pending.started.set()
                pending.ended.set()

    def _take_in(self, message: dict[str, Any], descriptors: tuple[int, ...]) -> None:
        with self._lock:
            pending = self._pending[message["number"]]
            if message["op"] != "started":
                del self._pending[message["number"]]
        match message["op"]:
            case "started":
                (pending.pidfd,) = descriptors
                pending.started.set()
            case "failed":
                pending.why = message["why"]
                pending.started.set()
            case "ended":
                pending.report = message
                pending.ended.set()

    def _said(self) -> str:
        """The end of what it wrote before it failed, for our own log."""
        try:
            size = os.fstat(self._errors.fileno()).st_size
            text = os.pread(self._errors.fileno(), 2000, max(0, size - 2000)).decode("utf-8", "replace")
        except (OSError, ValueError):
            return ""
        return f"It said: {text.strip()}" if text else ""


def _spawned(
    modules: tuple[str, ...], readable: tuple[str, ...], layers: frozenset[Layer], errors: IO[bytes]
) -> tuple[subprocess.Popen[bytes], Control]:
    """Execute a zygote: of our memory, environment and descriptors it gets what is named here, no more."""
    ours, theirs = control.pair()
    examiner = os.pidfd_open(os.getpid())
    setup = Setup(
        control=theirs.fileno(), examiner=examiner, modules=modules, readable=readable, layers=layers
    )
    try:
        process = subprocess.Popen(
            [sys.executable, "-P", "-s", "-B", "-m", "grader.engine.linux.zygote", setup.to_json()],
            env=_environment(readable),
            cwd="/",
            stdin=subprocess.DEVNULL,
            stdout=errors,
            stderr=errors,
            pass_fds=(theirs.fileno(), examiner),
            start_new_session=True,  # no signal from our terminal, and none of ours to our group, reaches it
        )
    finally:
        theirs.close()
        os.close(examiner)
    return process, ours


def _environment(readable: tuple[str, ...]) -> dict[str, str]:
    """Everything a zygote is told by environment."""
    home = str(Path(grader.__file__).parent.parent)
    return {
        "PYTHONPATH": os.pathsep.join((home, *readable)),
        "PYTHONHASHSEED": "0",
        "LANG": "C.UTF-8",
        "JAX_PLATFORMS": "cpu",
        "JAX_ENABLE_COMPILATION_CACHE": "0",
        "OPENBLAS_NUM_THREADS": "1",
        "OMP_NUM_THREADS": "1",
        "TF_CPP_MIN_LOG_LEVEL": "3",
    }
