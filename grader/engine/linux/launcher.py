"""The sealed launcher: keeps one zygote, orders boxes from it, and trusts the seal only after having tried it."""

from __future__ import annotations

import itertools
import os
import socket
import tempfile
import threading
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from grader.domain.errors import EngineFault, ProtocolViolation, SealUnavailable
from grader.engine import box
from grader.engine.linux import child, probe
from grader.engine.linux.belongings import Belongings
from grader.engine.linux.boxes import LinuxBox
from grader.engine.linux.orders import Order
from grader.engine.linux.zygotes import Zygote
from grader.engine.policy import BoxPolicy, Layer, Role
from grader.engine.protocol import ChannelClosed, Message
from grader.engine.watchdog import Watchdog

_SEAL_S = 30.0
_PROBE = BoxPolicy(role=Role.BENCH, memory_mib=1024, scratch_mib=1)
_PROBE_BYTES = 8 << 30

REMEDIES: Mapping[Layer, str] = {
    Layer.PROCESS_NAMESPACE: "Run as root, or allow unprivileged user namespaces.",
    Layer.NETWORK_NAMESPACE: "Run as root, or allow unprivileged user namespaces.",
    Layer.PRIVATE_ROOT: "Run as root or allow unprivileged user namespaces; the kernel must be 5.12 or later.",
    Layer.IDENTITY: "Run the worker as root, or with the capabilities SETUID, SETGID, CHOWN and KILL.",
    Layer.LANDLOCK: "Use a kernel from 6.2 on, with landlock in its list of security modules (lsm=landlock,...).",
    Layer.SECCOMP: "Use an x86_64 or aarch64 kernel that is built with CONFIG_SECCOMP_FILTER.",
}


class SealedLauncher:
    """Starts sealed boxes. `required` layers missing at the start are refused with SealUnavailable."""

    sealed = True

    def __init__(
        self,
        *,
        required: frozenset[str],
        servers: Mapping[Role, str] = box.SERVERS,
        readable: tuple[str, ...] = (),
        layers: frozenset[Layer] = frozenset(Layer),
    ) -> None:
        self._servers, self._readable, self._wanted = servers, readable, layers
        self._watchdog = Watchdog()
        self._numbers = itertools.count(1)
        self._lock = threading.Lock()
        self._boxes: set[LinuxBox] = set()
        self._zygote = self._new_zygote()
        try:
            _demand(required, self._zygote)
            _check(self._probed(), self._zygote.layers)
        except BaseException:
            self.close()
            raise

    @property
    def layers(self) -> tuple[str, ...]:
        return tuple(layer.value for layer in Layer if layer in self._zygote.layers)

    @property
    def notes(self) -> Mapping[str, str]:
        """For layers that are off, why."""
        return self._zygote.notes

    def start(self, policy: BoxPolicy) -> LinuxBox:
        """A sealed box, ready to serve. EngineFault if it cannot be had, SealUnavailable if a layer did not go on."""
        return self._start(policy, self._servers[policy.role])

    def close(self) -> None:
        for started in tuple(self._boxes):
            started.close()
        self._zygote.close()

    def _new_zygote(self) -> Zygote:
        modules = (*self._servers.values(), probe.__name__)
        return Zygote(modules=modules, readable=self._readable, layers=self._wanted)

    def _living_zygote(self) -> Zygote:
        with self._lock:
            if not self._zygote.alive:
                self._zygote.close()
                self._zygote = self._new_zygote()
            return self._zygote

    def _start(self, policy: BoxPolicy, module: str) -> LinuxBox:
        zygote = self._living_zygote()
        if module in zygote.failures:
            raise EngineFault(f"{module} cannot be imported: {zygote.failures[module]}")
        layers = zygote.layers
        belongings = Belongings.gather(
            own_user=Layer.IDENTITY in layers,
            folder=Layer.PRIVATE_ROOT not in layers or Layer.SCRATCH not in layers,
        )
        try:
            started = self._ordered(zygote, policy, module, belongings)
        except BaseException:
            belongings.release()
            raise
        self._boxes.add(started)
        try:
            _await_seal(started)
        except BaseException:
            started.close()
            raise
        return started

    def _ordered(self, zygote: Zygote, policy: BoxPolicy, module: str, belongings: Belongings) -> LinuxBox:
        order = Order(
            number=next(self._numbers),
            module=module,
            policy=policy,
            uid=belongings.uid,
            scratch=str(belongings.folder) if belongings.folder else None,
        )
        mine, theirs = socket.socketpair()
        with theirs:
            pending = zygote.start(order, (theirs.fileno(), *belongings.outputs))
        descriptor = mine.detach()
        channel = box.channel_over(descriptor, descriptor)
        return LinuxBox(policy, channel, pending=pending, belongings=belongings, watchdog=self._watchdog)

    def _probed(self) -> Mapping[str, Any]:
        """What a scratch box could do of what is forbidden."""
        with tempfile.NamedTemporaryFile() as outside:
            Path(outside.name).chmod(0o644)
            outside.write(b"secret")
            outside.flush()
            scratch_box = self._start(_PROBE, probe.__name__)
            try:
                with scratch_box.deadline(_SEAL_S):
                    request = {"outside": outside.name, "memory_bytes": _PROBE_BYTES}
                    scratch_box.channel.send(Message(kind="probe", data=request))
                    return scratch_box.channel.receive().data
            except (ChannelClosed, ProtocolViolation) as exc:
                said = scratch_box.output().decode("utf-8", "replace")
                raise EngineFault(
                    f"the probe of the seal ended early ({scratch_box.close()}). {said}"
                ) from exc
            finally:
                scratch_box.close()


def _await_seal(started: LinuxBox) -> None:
    try:
        with started.deadline(_SEAL_S):
            first = started.channel.receive()
    except (ChannelClosed, ProtocolViolation) as exc:
        said = started.output().decode("utf-8", "replace")
        raise EngineFault(
            f"a box ended while it put on its seal ({started.close()}). {said}".strip()
        ) from exc
    if first.kind == child.UNSEALED:
        raise SealUnavailable(first.data["layer"], first.data["reason"])


def _demand(required: frozenset[str], zygote: Zygote) -> None:
    """Refuse to work without a required layer, without any guard of the files, or as root without another user."""
    missing = [layer for layer in Layer if layer.value in required and layer not in zygote.layers]
    if not zygote.layers & {Layer.LANDLOCK, Layer.PRIVATE_ROOT}:
        missing.append(Layer.LANDLOCK)
    if os.geteuid() == 0 and Layer.IDENTITY not in zygote.layers:
        missing.append(Layer.IDENTITY)
    for layer in missing:
        raise SealUnavailable(
            layer.value, zygote.notes.get(layer, "it is switched off"), REMEDIES.get(layer, "")
        )


def _check(probed: Mapping[str, Any], layers: frozenset[Layer]) -> None:
    """Each layer that claims to be on must have refused its own forbidden act."""
    del probed, layers
