"""A server that tries what a box must not be able to do, and tells what came of it. Run in a scratch box at start."""

from __future__ import annotations

import importlib
import mmap
import os
import resource
import socket
from collections.abc import Callable
from pathlib import Path
from typing import Any

from grader.engine.linux import libc
from grader.engine.protocol import Channel, Message

LAZY_MODULE = "wave"
"""A module of the standard library that nothing else imports."""


def serve(channel: Channel) -> None:
    """Answer one request with the outcome of every act: ``"done"``, or the name of the error."""
    request = channel.receive()
    outside, memory = Path(request.data["outside"]), int(request.data["memory_bytes"])
    acts: dict[str, Callable[[], object]] = {
        "socket": lambda: socket.socket(socket.AF_UNIX),
        "fork": os.fork,
        "look outside": outside.stat,
        "read outside": outside.read_bytes,
        "write outside": lambda: Path("/tmp/box-was-here").touch(),  # noqa: S108 - meant to be refused
        "too much memory": lambda: mmap.mmap(-1, memory, flags=mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS),
        "raise a limit": lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (resource.RLIM_INFINITY,) * 2),
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


def _outcome(act: Callable[[], object]) -> str:
    try:
        result = act()
    except OSError as exc:
        return type(exc).__name__
    except Exception as exc:  # noqa: BLE001 - whatever stopped it is the finding
        return type(exc).__name__
    if result == 0 and act is os.fork:
        os._exit(0)
    return "done"


def _is_open(descriptor: int) -> bool:
    try:
        os.fstat(descriptor)
    except OSError:
        return False
    return True
