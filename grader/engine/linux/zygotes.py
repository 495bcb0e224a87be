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
from typing import Any

import grader
from grader.domain.errors import EngineFault
from grader.engine.linux import control
from grader.engine.linux.orders import Order, Setup
from grader.engine.policy import Layer

_READY_S = 120.0
"""A cold disk may take this long to import JAX."""
_START_S = 30.0
_END_S = 20.0
"""A process that has touched gigabytes takes a second to tear down."""
_MIB = 1 << 20
_PAGE = os.sysconf("SC_PAGE_SIZE")


@dataclass(slots=True)
class Pending:
    """What the zygote will tell about one box."""

    started: threading.Event = field(default_factory=threading.Event)
    ended: threading.Event = field(default_factory=threading.Event)
    pidfd: int | None = None
    why: str = ""
    report: Mapping[str, Any] | None = None


class Zygote:
    """A running zygote process and what it says. Not restartable: when it is gone, start another."""

    def __init__(
        self, *, modules: tuple[str, ...], readable: tuple[str, ...], layers: frozenset[Layer]
    ) -> None:
        self._errors = tempfile.TemporaryFile()  # noqa: SIM115 - closed with the zygote
        self._control, theirs = control.pair()
        self._pending: dict[int, Pending] = {}
        self._lock = threading.Lock()
        self._gone = threading.Event()
        examiner = os.pidfd_open(os.getpid())
        setup = Setup(
            control=theirs.fileno(), examiner=examiner, modules=modules, readable=readable, layers=layers
        )
        try:
            self._process = subprocess.Popen(
                [sys.executable, "-P", "-s", "-B", "-m", "grader.engine.linux.zygote", setup.to_json()],
                env=_clean_environment(readable),
                cwd="/",
                stdin=subprocess.DEVNULL,
                stdout=self._errors,
                stderr=self._errors,
                pass_fds=(theirs.fileno(), examiner),
                start_new_session=True,
            )
        finally:
            theirs.close()
            os.close(examiner)
        try:
            ready = self._await_ready()
        except BaseException:
            self.close()
            raise
        self.layers = frozenset(map(Layer, ready["layers"]))
        self.notes: Mapping[str, str] = ready["notes"]
        self.failures: Mapping[str, str] = ready["failures"]
        threading.Thread(target=self._listen, name="zygote listener", daemon=True).start()

    @property
    def alive(self) -> bool:
        return not self._gone.is_set()

    def start(self, order: Order, descriptors: tuple[int, int, int]) -> Pending:
        """Order a box; returns once it is forked. EngineFault if it cannot be."""
        pending = Pending()
        with self._lock:
            self._pending[order.number] = pending
            try:
                self._control.send({"op": "start", **order.to_message()}, descriptors)
            except OSError:
                self._lose_everything()
        if not pending.started.wait(_START_S):
            raise EngineFault(f"the zygote did not fork a box within {_START_S:.0f} seconds")
        if pending.pidfd is None:
            raise EngineFault(f"the zygote could not fork a box: {pending.why}. {self._said()}".strip())
        return pending

    def close(self) -> None:
        """End it, and with it every box. Never raises."""
        self._control.close()
        with suppress(OSError):
            self._process.kill()
        with suppress(subprocess.TimeoutExpired):
            self._process.wait(_END_S)
        self._gone.set()
        self._errors.close()

    def _await_ready(self) -> dict[str, Any]:
        if select.select([self._control], [], [], _READY_S)[0]:
            try:
                return self._control.receive()[0]
            except EOFError:
                pass
        raise EngineFault(f"the zygote did not come up. {self._said()}".strip())

    def _listen(self) -> None:
        while True:
            try:
                message, descriptors = self._control.receive()
            except (EOFError, OSError):
                break
            with self._lock:
                pending = self._pending[message["number"]]
            if message["op"] == "ended":
                pending.report = message
                pending.ended.set()
                continue
            pending.pidfd = descriptors[0] if descriptors else None
            pending.why = message.get("why", "")
            pending.started.set()
        with self._lock:
            self._lose_everything()

    def forget(self, number: int) -> None:
        """Nothing more is expected about that box."""
        with self._lock:
            self._pending.pop(number, None)

    def _lose_everything(self) -> None:
        self._gone.set()
        for pending in self._pending.values():
            pending.why = pending.why or "it is gone"
            pending.started.set()
            pending.ended.set()

    def _said(self) -> str:
        """The end of what it wrote before it failed, for our own log."""
        try:
            size = os.fstat(self._errors.fileno()).st_size
            text = (
                os.pread(self._errors.fileno(), 2000, max(0, size - 2000)).decode("utf-8", "replace").strip()
            )
        except (OSError, ValueError):
            return ""
        return f"It said: {text}" if text else ""


def _clean_environment(readable: tuple[str, ...]) -> dict[str, str]:
    """All that a zygote is told by environment: no variable of ours is inherited, so none can leak."""
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
