"""The sealed launcher: keeps one zygote, orders boxes from it, and trusts the seal only once it was tried."""

from __future__ import annotations

import itertools
import os
import socket
import tempfile
import threading
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from grader.domain.errors import EngineFault, ProtocolViolation, SealUnavailable
from grader.engine import box
from grader.engine.demands import GROUPS, Demands
from grader.engine.linux import child, probe
from grader.engine.linux.belongings import Belongings
from grader.engine.linux.boxes import LinuxBox
from grader.engine.linux.control import close_all
from grader.engine.linux.orders import Order
from grader.engine.linux.probe import Fault
from grader.engine.linux.seal import limits
from grader.engine.linux.seal.groups import Bounds, Group, Groups, GroupsUnavailable
from grader.engine.linux.zygotes import Zygote
from grader.engine.policy import BoxPolicy, Layer, Role
from grader.engine.protocol import ChannelClosed, Message
from grader.engine.watchdog import Watchdog

_SEAL_S = 30.0
_MIB = 1 << 20
_PROBE = BoxPolicy(role=Role.BENCH, memory_mib=512, scratch_mib=1)
_PROBE_BYTES = 4 << 30
"""More than the probe's box may use, and address space only: nothing touches it."""

_NAMESPACES = (
    "Run as root, or allow unprivileged user namespaces (kernel.unprivileged_userns_clone, AppArmor)."
)
REMEDIES: Mapping[Layer | None, str] = {
    None: "Install Python and its packages where every user may read them (for example below /opt).",
    Layer.PROCESS_NAMESPACE: _NAMESPACES,
    Layer.NETWORK_NAMESPACE: _NAMESPACES,
    Layer.PRIVATE_ROOT: f"{_NAMESPACES} The kernel must be 5.12 or later.",
    Layer.CONTROL_GROUP: (
        "Run the worker as a systemd service with Delegate=yes, or in a container whose control groups can "
        f"be written, or name a group that is ours in {GROUPS}."
    ),
    Layer.IDENTITY: "Run as root; in a container keep the capabilities SETUID, SETGID, CHOWN and KILL.",
    Layer.LANDLOCK: "Use a kernel from 6.2 on that lists landlock in /sys/kernel/security/lsm.",
    Layer.SECCOMP: "Use an x86_64 or aarch64 kernel that is built with CONFIG_SECCOMP_FILTER.",
}


class SealedLauncher:
    """Starts sealed boxes; SealUnavailable if a layer that is demanded is missing or fails its test.

    `servers`, `readable` (more folders to read and import from) and `wanted` are for tests.
    """

    sealed = True

    def __init__(
        self,
        *,
        demands: Demands,
        servers: Mapping[Role, str] = box.SERVERS,
        readable: tuple[str, ...] = (),
        wanted: frozenset[Layer] = frozenset(Layer),
    ) -> None:
        self._demands, self._servers, self._readable = demands, servers, readable
        self._groups, self._no_groups = _groups(demands) if Layer.CONTROL_GROUP in wanted else (None, "")
        self._wanted = wanted if self._groups else wanted - {Layer.CONTROL_GROUP}
        self._watchdog = Watchdog()
        self._numbers = itertools.count(1)
        self._renewing = threading.Lock()
        self._boxes: set[LinuxBox] = set()
        self._zygote = self._new_zygote()

    @property
    def layers(self) -> tuple[str, ...]:
        return tuple(layer.value for layer in Layer if layer in self._zygote.layers)

    @property
    def notes(self) -> Mapping[str, str]:
        """For each layer that is off, why."""
        return self._notes(self._zygote)

    def _notes(self, zygote: Zygote) -> Mapping[str, str]:
        return {**zygote.notes, **({Layer.CONTROL_GROUP: self._no_groups} if self._no_groups else {})}

    def start(self, policy: BoxPolicy) -> LinuxBox:
        """A sealed box, ready to serve. EngineFault if none can be had; SealUnavailable if a layer failed."""
        return self._start(self._living_zygote(), policy, self._servers[policy.role])

    def close(self) -> None:
        for started in tuple(self._boxes):
            started.close()
        self._zygote.close()

    def _living_zygote(self) -> Zygote:
        with self._renewing:
            if not self._zygote.alive:
                self._zygote.close()
                self._zygote = self._new_zygote()
            return self._zygote

    def _new_zygote(self) -> Zygote:
        modules = (*self._servers.values(), probe.__name__)
        zygote = Zygote(modules=modules, readable=self._readable, layers=self._wanted)
        try:
            self._accept(self._faults(zygote))
        except BaseException:
            zygote.close()
            raise
        return zygote

    def _faults(self, zygote: Zygote) -> tuple[Fault, ...]:
        """Layers that are missing, and layers that did not hold in a scratch box."""
        missing = demanded(self._demands.required, zygote.layers) - zygote.layers
        notes = self._notes(zygote)
        absent = (
            Fault(layer, notes.get(layer, "it was not asked for")) for layer in Layer if layer in missing
        )
        probed, grouped = self._probed(zygote)
        strays = () if grouped else (Fault(Layer.CONTROL_GROUP, "a box was not in its group"),)
        return (*absent, *strays, *probe.faults(probed, zygote.layers))

    def _accept(self, faults: tuple[Fault, ...]) -> None:
        for fault in faults:
            raise SealUnavailable(name_of(fault.layer), f"{fault.found}.", REMEDIES.get(fault.layer, ""))

    def _probed(self, zygote: Zygote) -> tuple[Mapping[str, Any], bool]:
        """What a scratch box could do of what is forbidden, and whether it was in its control group."""
        with tempfile.NamedTemporaryFile() as outside:
            Path(outside.name).chmod(0o644)
            scratch_box = self._start(zygote, _PROBE, probe.__name__)
            try:
                request = probe.request(outside=Path(outside.name), memory_bytes=_PROBE_BYTES)
                return _asked(scratch_box, request).data, scratch_box.in_its_group()
            finally:
                scratch_box.close()
                Path(outside.name).with_suffix(".written").unlink(missing_ok=True)

    def _start(self, zygote: Zygote, policy: BoxPolicy, module: str) -> LinuxBox:
        if module in zygote.failures:
            raise EngineFault(f"{module} cannot be imported: {zygote.failures[module]}")
        started = self._forked(zygote, policy, module)
        first = _asked(started, None)
        if first.kind != child.SEALED:
            started.close()
            layer = Layer(first.data["layer"])
            raise SealUnavailable(layer.value, first.data["reason"], REMEDIES.get(layer, ""))
        return started

    def _group(self, policy: BoxPolicy) -> Group | None:
        """A control group for a box. EngineFault if it can be had no more."""
        if self._groups is None:
            return None
        cores = policy.threads or os.cpu_count() or 1
        bounds = Bounds(
            memory_bytes=(policy.memory_mib + policy.scratch_mib) * _MIB,
            processes=limits.processes(os.cpu_count() or 1),
            cores=cores,
        )
        try:
            return self._groups.make(bounds)
        except OSError as exc:
            raise EngineFault(f"no control group could be made for a box: {exc}") from exc

    def _forked(self, zygote: Zygote, policy: BoxPolicy, module: str) -> LinuxBox:
        belongings = Belongings.gather(
            own_user=Layer.IDENTITY in zygote.layers,
            # Without a mount of its own, a box gets an ordinary folder, which the watchdog measures.
            folder=not {Layer.PRIVATE_ROOT, Layer.SCRATCH} <= zygote.layers,
        )
        order = Order(
            number=next(self._numbers),
            module=module,
            policy=policy,
            uid=belongings.uid,
            scratch=str(belongings.folder) if belongings.folder else None,
        )
        ours, theirs = socket.socketpair()
        try:
            with theirs:
                belongings.group = self._group(policy)
                with _doors(belongings.group) as doors:
                    pending = zygote.start(order, (theirs.fileno(), *belongings.outputs, *doors))
        except BaseException:
            ours.close()
            belongings.release()
            raise
        started = LinuxBox(
            policy,
            ours.detach(),
            pending=pending,
            belongings=belongings,
            watchdog=self._watchdog,
            on_close=self._boxes.discard,
        )
        self._boxes.add(started)
        return started


@contextmanager
def _doors(group: Group | None) -> Iterator[tuple[int, ...]]:
    """Ways into a group, open for the block."""
    doors = group.doors() if group else ()
    try:
        yield doors
    finally:
        close_all(doors)


def _groups(demands: Demands) -> tuple[Groups | None, str]:
    """Control groups, or why there are none; the watcher and the limits then stand alone."""
    try:
        return Groups.open(demands.groups), ""
    except GroupsUnavailable as exc:
        return None, str(exc)


def _asked(started: LinuxBox, request: Message | None) -> Message:
    """The box's answer before any untrusted byte has reached it: its failure is our fault."""
    try:
        with started.deadline(_SEAL_S):
            if request is not None:
                started.channel.send(request)
            return started.channel.receive()
    except (ChannelClosed, ProtocolViolation) as exc:
        end, said = started.close(), started.output(2000).decode("utf-8", "replace").strip()
        what = f"a box failed before it was used ({end.kind.value}, {end.code})"
        raise EngineFault(f"{what}. {said}".strip()) from exc


def name_of(layer: Layer | None) -> str:
    """What operators read; no layer means that a box was too tight for Python itself."""
    return layer.value if layer else "readable interpreter"


def demanded(required: frozenset[Layer], layers: frozenset[Layer]) -> frozenset[Layer]:
    """What must be on: `required`, some guard of the files, and for root another identity."""
    always = set(required)
    if not layers & {Layer.LANDLOCK, Layer.PRIVATE_ROOT}:
        always.add(Layer.LANDLOCK)
    if os.geteuid() == 0:
        always.add(Layer.IDENTITY)
    return frozenset(always)
