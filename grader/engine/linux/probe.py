"""Tries in a scratch box what no box may do, and judges by what came of it whether each layer holds."""

from __future__ import annotations

import contextlib
import importlib
import mmap
import os
import resource
import socket
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from grader.engine.linux import libc, uids
from grader.engine.linux.seal import descriptors, environment
from grader.engine.policy import Layer
from grader.engine.protocol import Channel, Message

LAZY_MODULE = "wave"
"""A module of the standard library that nothing else imports."""

_DONE = "done"


def request(*, outside: Path, memory_bytes: int) -> Message:
    """Asks to try everything: to see `outside`, which no box may, and to use `memory_bytes`, too many."""
    return Message(kind="probe", data={"outside": str(outside), "memory_bytes": memory_bytes})


def serve(channel: Channel) -> None:
    """Answer one request with what came of every act: ``"done"``, or the name of the error."""
    asked = channel.receive().data
    outside, memory = Path(asked["outside"]), int(asked["memory_bytes"])
    acts: dict[str, Callable[[], object]] = {
        "socket": lambda: socket.socket(socket.AF_UNIX),
        "fork": _fork,
        "list root": lambda: list(Path("/").iterdir()),
        "look outside": outside.stat,
        "read outside": outside.read_bytes,
        "write outside": outside.with_suffix(".written").touch,
        "use memory": lambda: mmap.mmap(-1, memory, flags=mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS),
        "raise limit": lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (resource.RLIM_INFINITY,) * 2),
        "write scratch": lambda: (Path.cwd() / "probe").write_bytes(b"x"),
        "import lazily": lambda: importlib.import_module(LAZY_MODULE),
    }
    outcomes = {name: _outcome(act) for name, act in acts.items()}
    facts: dict[str, Any] = {
        "users": sorted({*os.getresuid(), *os.getresgid(), *os.getgroups()}),
        "descriptors": [number for number in range(256) if _is_open(number)],
        "variables": sorted(os.environ),
        "no_new_privileges": libc.prctl(libc.PR_GET_NO_NEW_PRIVS),
    }
    channel.send(Message(kind="probed", data={"outcomes": outcomes, **facts}))


def _fork() -> None:
    if os.fork() == 0:
        os._exit(0)


def _outcome(act: Callable[[], object]) -> str:
    try:
        act()
    except Exception as exc:  # noqa: BLE001 - whatever stopped it is the finding
        return type(exc).__name__
    return _DONE


def _is_open(descriptor: int) -> bool:
    with contextlib.suppress(OSError):
        os.fstat(descriptor)
        return True
    return False


@dataclass(frozen=True, slots=True)
class Fault:
    """A layer that is missing or does not hold; None stands for a box too tight to work in."""

    layer: Layer | None
    found: str


def faults(probed: Mapping[str, Any], layers: frozenset[Layer]) -> Iterator[Fault]:
    """What a box could do although one of its `layers` forbids it, or could not do although it must."""
    outcomes = probed["outcomes"]
    for layer, act, expected in _EXPECTED:
        if (layer is None or layer in layers) and outcomes[act] not in expected:
            yield Fault(layer, f"the attempt to {act!r} ended in {outcomes[act]}")
    if Layer.DESCRIPTORS in layers and probed["descriptors"] != list(range(descriptors.CHANNEL + 1)):
        yield Fault(Layer.DESCRIPTORS, f"descriptors {probed['descriptors']} are open")
    if Layer.ENVIRONMENT in layers and set(probed["variables"]) != environment.VARIABLES:
        yield Fault(Layer.ENVIRONMENT, f"it has the variables {probed['variables']}")
    if Layer.IDENTITY in layers and not all(uids.FIRST <= user <= uids.LAST for user in probed["users"]):
        yield Fault(Layer.IDENTITY, f"it is still one of the users and groups {probed['users']}")
    if Layer.NO_NEW_PRIVILEGES in layers and probed["no_new_privileges"] != 1:
        yield Fault(Layer.NO_NEW_PRIVILEGES, "the flag is not set")


_REFUSED = frozenset({"PermissionError"})
_HIDDEN = frozenset({"FileNotFoundError"})
_UNREACHABLE = _REFUSED | _HIDDEN
_EXPECTED: tuple[tuple[Layer | None, str, frozenset[str]], ...] = (
    (Layer.SECCOMP, "socket", _REFUSED),
    (Layer.SECCOMP, "fork", _REFUSED),
    (Layer.LANDLOCK, "list root", _REFUSED),
    (Layer.PRIVATE_ROOT, "look outside", _HIDDEN),
    (Layer.LIMITS, "use memory", frozenset({"OSError", "MemoryError"})),
    (Layer.LIMITS, "raise limit", frozenset({"ValueError", "PermissionError"})),
    (Layer.SCRATCH, "write scratch", frozenset({_DONE})),
    *((layer, "read outside", _UNREACHABLE) for layer in (Layer.LANDLOCK, Layer.PRIVATE_ROOT)),
    *((layer, "write outside", _UNREACHABLE | {"OSError"}) for layer in (Layer.LANDLOCK, Layer.PRIVATE_ROOT)),
    (None, "import lazily", frozenset({_DONE})),
)
"""For each layer an act that it forbids by itself, and the right outcomes; None for what all must allow."""
