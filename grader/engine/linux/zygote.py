"""The zygote: a clean process with everything imported and nothing started, which forks the boxes.

Theory of operation. The launcher executes this module with a minimal environment and one packet socket. It
leaves the host's namespaces where it may (then it is the first process of its own process namespace, so its
death is the death of every box), changes into a private root, imports JAX and the role modules, and freezes
the garbage collector. It never starts a JAX backend and never has a second thread: a fork after either would
make a child that hangs at its first compilation, so both are checked before each fork. Then it serves orders
until its launcher goes away:

    launcher -> {"op": "start", ...} + channel, output, errors, doors of the box's control group
    zygote   -> {"op": "started", "number"} + pidfd, or {"op": "failed", "number", "why"}
    zygote   -> {"op": "ended", "number", "code", "peak_kib", "cpu_s"}
"""

from __future__ import annotations

import contextlib
import gc
import importlib
import os
import select
import signal
import socket
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from grader.engine.linux import child, folders, readable
from grader.engine.linux.control import Control, close_all
from grader.engine.linux.orders import Order, Setup
from grader.engine.linux.readable import Readable
from grader.engine.linux.seal import identity, landlock, namespaces, privileges, root, seccomp
from grader.engine.policy import Layer

_NAMESPACES = frozenset({Layer.PROCESS_NAMESPACE, Layer.NETWORK_NAMESPACE})
_ALWAYS = frozenset(
    {
        Layer.CONTROL_GROUP,  # the launcher asks for it only where it has one
        Layer.DESCRIPTORS,
        Layer.ENVIRONMENT,
        Layer.SCRATCH,
        Layer.NO_NEW_PRIVILEGES,
        Layer.LIMITS,
    }
)
_EXPENDABLE = "500"
"""Where the machine runs out of memory, boxes go before the worker and its database."""


def main(setup: Setup) -> None:
    """Serve until the launcher is gone."""
    with contextlib.suppress(OSError):
        Path("/proc/self/oom_score_adj").write_text(_EXPENDABLE)
    may_read = readable.find(map(Path, setup.readable))
    host = _Host(setup)
    host.leave()
    privileges.forbid_inspection()  # not sooner: it bars us from mapping our user into a namespace
    tasks = os.open("/proc/self/task", os.O_RDONLY | os.O_DIRECTORY)
    host.change_root(may_read)
    host.find_box_layers()
    failures = _preload(setup.modules)
    gc.collect()
    gc.freeze()
    control = Control(socket.socket(fileno=setup.control))
    layers = frozenset(host.layers)
    control.send({"op": "ready", "layers": sorted(layers), "notes": host.notes, "failures": failures})
    _Zygote(control, examiner=setup.examiner, tasks=tasks, layers=layers, may_read=may_read).serve()


class _Host:
    """Finds out which layers this machine allows, entering those that are entered once for all boxes."""

    def __init__(self, setup: Setup) -> None:
        self._setup = setup
        self.layers: set[Layer] = set()
        self.notes: dict[str, str] = {}

    def leave(self) -> None:
        """Go into namespaces of our own, if asked and allowed; what returns is the one that will serve."""
        if not self._setup.layers & _NAMESPACES:
            return
        try:
            namespaces.leave_host()
        except OSError as exc:
            self.notes.update(dict.fromkeys((*_NAMESPACES, Layer.PRIVATE_ROOT), str(exc)))
            return
        first = os.fork()
        if first:
            close_all((self._setup.control, self._setup.examiner))
            _, status = os.waitpid(first, 0)
            os._exit(os.waitstatus_to_exitcode(status) & 0xFF)
        privileges.die_with(0)  # so a parent outside our process namespace is numbered
        self.layers |= _NAMESPACES

    def change_root(self, may_read: Readable) -> None:
        if Layer.PRIVATE_ROOT not in self._setup.layers or not self.layers:
            return
        try:
            root.enter(may_read)
        except OSError as exc:
            self.notes[Layer.PRIVATE_ROOT] = str(exc)
            return
        self.layers.add(Layer.PRIVATE_ROOT)

    def find_box_layers(self) -> None:
        """The layers that each box can put on by itself here."""
        reasons = {
            Layer.IDENTITY: identity.unavailable(),
            Layer.LANDLOCK: landlock.unavailable(),
            Layer.SECCOMP: seccomp.unavailable(),
        }
        self.notes.update({layer: reason for layer, reason in reasons.items() if reason})
        possible = _ALWAYS | {layer for layer, reason in reasons.items() if not reason}
        self.layers |= possible & self._setup.layers


def _preload(modules: tuple[str, ...]) -> dict[str, str]:
    """Import the role modules, and let them warm up; for each that cannot be, why."""
    failures = {}
    for module in modules:
        try:
            getattr(importlib.import_module(module), "prewarm", lambda: None)()
        except Exception as exc:  # noqa: BLE001 - boundary: whoever asks for that role is told
            failures[module] = f"{type(exc).__name__}: {exc}"
    return failures


@dataclass(frozen=True, slots=True)
class _Child:
    number: int
    pid: int
    scratch: str | None


class _Zygote:
    def __init__(
        self, control: Control, *, examiner: int, tasks: int, layers: frozenset[Layer], may_read: Readable
    ) -> None:
        self._control, self._examiner, self._tasks = control, examiner, tasks
        self._layers, self._may_read = layers, may_read
        self._children: dict[int, _Child] = {}
        self._poll = select.poll()
        self._poll.register(control, select.POLLIN)
        self._poll.register(examiner, select.POLLIN)

    def serve(self) -> None:
        """Until the launcher hangs up or ends, however that happens; then nothing is left of a box."""
        self._serve()
        for pidfd, known in self._children.items():
            signal.pidfd_send_signal(pidfd, signal.SIGKILL)
            os.waitpid(known.pid, 0)
            if known.scratch:
                folders.remove(Path(known.scratch))

    def _serve(self) -> None:
        with contextlib.suppress(EOFError, BrokenPipeError, ConnectionResetError):
            while True:
                for descriptor, _ in self._poll.poll():
                    if descriptor == self._examiner:
                        return
                    if descriptor == self._control.fileno():
                        self._start(*self._control.receive())
                    else:
                        self._reap(descriptor)

    def _start(self, message: dict[str, Any], descriptors: tuple[int, ...]) -> None:
        order = Order.from_message(message)
        problem = self._unfit()
        if problem:
            close_all(descriptors)
            self._control.send({"op": "failed", "number": order.number, "why": problem})
            return
        pid = os.fork()
        if pid == 0:
            self._become(order, descriptors)
        close_all(descriptors)
        pidfd = os.pidfd_open(pid)
        self._children[pidfd] = _Child(order.number, pid, order.scratch)
        self._poll.register(pidfd, select.POLLIN)
        self._control.send({"op": "started", "number": order.number}, (pidfd,))

    def _become(self, order: Order, descriptors: tuple[int, ...]) -> None:
        try:
            channel, output, errors, *doors = descriptors
            child.run(
                order,
                sockets=(channel, output, errors),
                doors=tuple(doors),
                layers=self._layers,
                may_read=self._may_read,
            )
        finally:
            os._exit(1)  # whatever happens, a child never goes on as a zygote

    def _unfit(self) -> str | None:
        """Why a fork now would make a child that hangs; None if all is well."""
        bridge = sys.modules.get("jax._src.xla_bridge")
        if bridge is not None and bridge.backends_are_initialized():
            return "a JAX backend was started in it"
        if len(os.listdir(self._tasks)) != 1:  # noqa: PTH208 - a descriptor, as there is no /proc any more
            return "it has more than one thread"
        return None

    def _reap(self, pidfd: int) -> None:
        known = self._children.pop(pidfd)
        self._poll.unregister(pidfd)
        os.close(pidfd)
        _, status, use = os.wait4(known.pid, 0)
        self._control.send(
            {
                "op": "ended",
                "number": known.number,
                "code": os.waitstatus_to_exitcode(status),
                "peak_kib": use.ru_maxrss,
                "cpu_s": use.ru_utime + use.ru_stime,
            }
        )


if __name__ == "__main__":
    main(Setup.from_json(sys.argv[1]))
