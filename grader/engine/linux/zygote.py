"""The zygote: a clean process with everything imported and nothing started, which forks the boxes.

Theory of operation. The launcher executes this module with a minimal environment and one packet socket. It leaves the
host's namespaces where it may (then it is the first process of its own process namespace, so its death is the death of
every box), changes into a private root, imports JAX and the role modules, and freezes the garbage collector. It never
starts a JAX backend and never has a second thread: a fork after either would hang the child at its first compilation,
so both are checked before each fork. Then it serves orders until its launcher goes away:

    launcher -> {"op": "start", ...} + channel, output, errors     zygote -> {"op": "started"} + pidfd
                                                                   zygote -> {"op": "ended", status, use}
"""

from __future__ import annotations

import gc
import importlib
import os
import select
import socket
import sys
from dataclasses import dataclass
from typing import Any

from grader.engine.linux import child, readable
from grader.engine.linux.control import Control, close_all
from grader.engine.linux.orders import Order, Setup
from grader.engine.linux.readable import Readable
from grader.engine.linux.seal import landlock, namespaces, privileges, root, seccomp
from grader.engine.policy import Layer

_NAMESPACE_LAYERS = frozenset({Layer.PROCESS_NAMESPACE, Layer.NETWORK_NAMESPACE})


def main(setup_json: str) -> None:
    """Serve until the launcher is gone."""
    setup = Setup.from_json(setup_json)
    may_read = readable.find(map(readable.Path, setup.readable))
    notes: dict[str, str] = {}
    layers = _leave_host(setup, notes)
    privileges.forbid_inspection()  # only now: it would have barred us from mapping our user
    tasks = os.open("/proc/self/task", os.O_RDONLY | os.O_DIRECTORY)
    layers |= _private_root(setup, layers, may_read, notes)
    layers |= _box_layers(setup, notes)
    failures = _preload(setup.modules)
    gc.collect()
    gc.freeze()
    control = Control(socket.socket(fileno=setup.control))
    control.send({"op": "ready", "layers": sorted(layers), "notes": notes, "failures": failures})
    _Zygote(control, setup.examiner, tasks, layers, may_read).serve()


def _leave_host(setup: Setup, notes: dict[str, str]) -> frozenset[Layer]:
    """Into namespaces of our own, if asked and allowed; the process that returns is the one that will serve."""
    if not setup.layers & _NAMESPACE_LAYERS:
        return frozenset()
    try:
        namespaces.leave_hosts()
    except OSError as exc:
        notes.update(dict.fromkeys(_NAMESPACE_LAYERS, str(exc)))
        return frozenset()
    first = os.fork()
    if first:
        close_all((setup.control, setup.examiner))
        _, status = os.waitpid(first, 0)
        os._exit(os.waitstatus_to_exitcode(status) & 0xFF)
    # Our parent is outside our process namespace, where its number reads 0.
    privileges.die_with(0)
    return _NAMESPACE_LAYERS


def _private_root(
    setup: Setup, layers: frozenset[Layer], may_read: Readable, notes: dict[str, str]
) -> frozenset[Layer]:
    if Layer.PRIVATE_ROOT not in setup.layers:
        return frozenset()
    if Layer.PROCESS_NAMESPACE not in layers:
        notes[Layer.PRIVATE_ROOT] = notes.get(Layer.PROCESS_NAMESPACE, "needs namespaces")
        return frozenset()
    root.enter(may_read)
    return frozenset({Layer.PRIVATE_ROOT})


def _box_layers(setup: Setup, notes: dict[str, str]) -> frozenset[Layer]:
    """The layers that each box can put on by itself here."""
    possible = {Layer.DESCRIPTORS, Layer.ENVIRONMENT, Layer.SCRATCH, Layer.NO_NEW_PRIVILEGES, Layer.LIMITS}
    if os.geteuid() == 0:
        possible.add(Layer.IDENTITY)
    else:
        notes[Layer.IDENTITY] = "only root can become somebody else"
    if (version := landlock.abi()) >= landlock.MINIMUM_ABI:
        possible.add(Layer.LANDLOCK)
    else:
        notes[Layer.LANDLOCK] = f"the kernel offers version {version}, needed is {landlock.MINIMUM_ABI}"
    if seccomp.available():
        possible.add(Layer.SECCOMP)
    else:
        notes[Layer.SECCOMP] = f"no filters, or an unknown machine ({os.uname().machine})"
    return frozenset(possible) & setup.layers


def _preload(modules: tuple[str, ...]) -> dict[str, str]:
    """Import the role modules; for each that cannot be, why."""
    failures = {}
    for module in modules:
        try:
            importlib.import_module(module)
        except Exception as exc:  # noqa: BLE001 - boundary: whoever asks for that role is told
            failures[module] = f"{type(exc).__name__}: {exc}"
    return failures


@dataclass(slots=True)
class _Child:
    number: int
    pid: int


class _Zygote:
    def __init__(
        self, control: Control, examiner: int, tasks: int, layers: frozenset[Layer], may_read: Readable
    ) -> None:
        self._control, self._examiner, self._tasks = control, examiner, tasks
        self._layers, self._may_read = layers, may_read
        self._children: dict[int, _Child] = {}
        self._poll = select.poll()
        self._poll.register(control, select.POLLIN)
        self._poll.register(examiner, select.POLLIN)

    def serve(self) -> None:
        """Until the launcher closes the socket or its process ends, however that happens."""
        while True:
            for descriptor, _ in self._poll.poll():
                if descriptor == self._examiner:
                    return
                if descriptor != self._control.fileno():
                    self._reap(descriptor)
                    continue
                try:
                    message, descriptors = self._control.receive()
                except EOFError:
                    return
                self._start(message, descriptors)

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
        self._children[pidfd] = _Child(order.number, pid)
        self._poll.register(pidfd, select.POLLIN)
        self._control.send({"op": "started", "number": order.number}, (pidfd,))

    def _become(self, order: Order, descriptors: tuple[int, ...]) -> None:
        try:
            channel, output, errors = descriptors
            child.run(order, sockets=(channel, output, errors), layers=self._layers, may_read=self._may_read)
        finally:
            os._exit(1)

    def _unfit(self) -> str | None:
        """Why a fork now would make a child that hangs; None if all is well."""
        if len(os.listdir(self._tasks)) != 1:
            return "the zygote has more than one thread"
        bridge = sys.modules.get("jax._src.xla_bridge")
        if bridge is not None and bridge.backends_are_initialized():
            return "a JAX backend was started in the zygote"
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
    main(sys.argv[1])
