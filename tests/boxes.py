"""Boxes for tests: launchers whose boxes run whatever code a test sends, and ways to be somebody else."""

from __future__ import annotations

import textwrap
from pathlib import Path
from typing import Any

from grader.engine.demands import Demands
from grader.engine.linux.launcher import SealedLauncher
from grader.engine.policy import Box, BoxPolicy, Launcher, Layer, Role
from grader.engine.portable import PortableLauncher
from grader.engine.protocol import Message

INMATES = Path(__file__).parent / "inmates"
WITHOUT_NAMESPACES = frozenset(Layer) - {
    Layer.PROCESS_NAMESPACE,
    Layer.NETWORK_NAMESPACE,
    Layer.PRIVATE_ROOT,
}
"""What an ordinary container, or a system that forbids user namespaces, leaves of the seal."""

_SERVERS = {Role.CANDIDATE: "inmate", Role.BENCH: "inmate"}


def sealed(
    *, wanted: frozenset[Layer] = frozenset(Layer), module: str = "inmate", also: tuple[Path, ...] = ()
) -> SealedLauncher:
    """A sealed launcher whose boxes obey. `module` serves both roles; what is in `also` is importable too."""
    servers = dict.fromkeys(_SERVERS, module)
    readable = tuple(map(str, (INMATES, *also)))
    return SealedLauncher(demands=Demands(), servers=servers, readable=readable, wanted=wanted)


def unsealed() -> PortableLauncher:
    """A portable launcher whose boxes obey."""
    return PortableLauncher(servers=_SERVERS, readable=(str(INMATES),))


class Refused(Exception):
    """The code a box was sent ended in an error."""

    def __init__(self, name: str, errno: int | None, text: str) -> None:
        super().__init__(f"{name}: {text}")
        self.name, self.errno = name, errno


class Inmate:
    """A box and what it is told to do."""

    def __init__(self, box: Box) -> None:
        self.box = box

    def send(self, code: str) -> None:
        self.box.channel.send(Message(kind="run", data={"code": textwrap.dedent(code)}))

    def run(self, code: str) -> Any:  # noqa: ANN401 - plain JSON
        """What `code` leaves in ``result``; Refused if it fails, ChannelClosed if that is the box's end."""
        self.send(code)
        with self.box.deadline(60):
            data = self.box.channel.receive().data
        if "error" in data:
            raise Refused(data["error"], data["errno"], data["text"])
        return data["result"]


def start(launcher: Launcher, **policy: int) -> Inmate:
    """A box that obeys."""
    return Inmate(launcher.start(BoxPolicy(role=Role.CANDIDATE, **{"memory_mib": 1024, **policy})))
