"""What a box is: its role, the limits it runs under, how it ended; and what a launcher offers."""

from __future__ import annotations

import json
from contextlib import AbstractContextManager
from dataclasses import asdict, dataclass
from enum import StrEnum
from typing import Protocol

from grader.engine.protocol import Channel


class Role(StrEnum):
    """What runs in a box."""

    CANDIDATE = "candidate"
    BENCH = "bench"


class Layer(StrEnum):
    """The layers of the seal, in the order in which a box puts them on."""

    CONTROL_GROUP = "control group"
    PROCESS_NAMESPACE = "process namespace"
    NETWORK_NAMESPACE = "network namespace"
    PRIVATE_ROOT = "private root"
    DESCRIPTORS = "descriptors"
    ENVIRONMENT = "environment"
    SCRATCH = "private scratch"
    IDENTITY = "throwaway identity"
    NO_NEW_PRIVILEGES = "no new privileges"
    LIMITS = "resource limits"
    LANDLOCK = "Landlock"
    SECCOMP = "system call filter"


@dataclass(frozen=True, slots=True, kw_only=True)
class BoxPolicy:
    """What one box may use. Memory and scratch in MiB; processor time in seconds, None for no limit."""

    role: Role
    memory_mib: int = 2048
    cpu_s: int | None = None
    scratch_mib: int = 64
    threads: int = 0
    """Cores it may run on; 0 means all that this process has."""
    world: int = 0
    """The perturbed world a candidate runs its submission in; 0 is the plain one."""
    gpu: bool = False
    """Whether it may use the machine's GPUs; a bench only."""

    def __post_init__(self) -> None:
        if self.gpu and self.role is not Role.BENCH:
            raise ValueError("only a bench may use a GPU: student code never runs where one is")

    def to_json(self) -> str:
        return json.dumps(asdict(self))

    @classmethod
    def from_json(cls, text: str) -> BoxPolicy:
        fields = json.loads(text)
        return cls(**{**fields, "role": Role(fields["role"])})


class EndKind(StrEnum):
    """How a box ended, as told by the system and never by the box."""

    EXITED = "exited"
    SIGNALLED = "signalled"
    DEADLINE = "deadline"
    STARVED = "starved"
    """It stood in line for a processor for so long that its deadline says nothing about it."""
    OUT_OF_MEMORY = "out_of_memory"
    CPU_LIMIT = "cpu_limit"


@dataclass(frozen=True, slots=True, kw_only=True)
class End:
    """The end of a box. `code` is an exit status for EXITED, a signal's number for SIGNALLED, else 0."""

    kind: EndKind
    code: int = 0
    peak_rss_mib: float = 0.0
    cpu_s: float = 0.0


@dataclass(frozen=True, slots=True, kw_only=True)
class LayerStatus:
    """One line of `grader doctor`: whether a layer works here, and what to do if it does not."""

    name: str
    available: bool
    required: bool
    why: str = ""
    remedy: str = ""


class Box(Protocol):
    """One process in a role, with a channel to it. Everything that arrives on the channel may be forged."""

    @property
    def pid(self) -> int: ...

    @property
    def channel(self) -> Channel: ...

    @property
    def end(self) -> End | None:
        """How it ended; None while it runs."""

    def deadline(self, seconds: float) -> AbstractContextManager[None]:
        """Kill the box if the block lasts longer; its channel then reports `ChannelClosed`."""

    def waited(self) -> float:
        """Seconds since its deadline was set in which other work on the machine kept it from running."""

    def output(self, limit: int = 65536) -> bytes:
        """The last `limit` bytes of its standard output, then of its errors; also after its end."""

    def close(self) -> End:
        """Kill it with everything it started, and say how it ended. Idempotent; never raises."""


class Launcher(Protocol):
    """Starts boxes. Safe to use from several threads."""

    @property
    def layers(self) -> tuple[str, ...]:
        """Names of the seal's layers that are on."""

    @property
    def sealed(self) -> bool: ...

    def start(self, policy: BoxPolicy) -> Box:
        """A box that is ready to serve; EngineFault if it cannot be had."""

    def close(self) -> None:
        """End every box and the processes behind them. Idempotent; never raises."""
