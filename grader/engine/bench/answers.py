"""What the bench answers, as values: facts about a program, outputs, key logs, races. Free of JAX."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from typing import Any, Self

from grader.engine.layouts import Placement
from grader.engine.protocol import Leaf


class Refusal(StrEnum):
    """Why the bench will not run a program at all."""

    TOO_LARGE = "too_large"
    """More operations, constant bytes or serialised bytes than the limits allow."""
    MALFORMED = "malformed"
    """Not an exported program, or one whose parts contradict each other."""
    VERSION = "version"
    """Made by another calling convention than this bench's."""
    EFFECTS = "effects"
    """It carries effects: a callback, a debug print, an ordered token."""
    CUSTOM_CALL = "custom_call"
    """It calls native code that is not on the list of linear algebra routines."""
    OPERATION = "operation"
    """It uses an operation that communicates, talks to the host, or reads the device's own state."""
    DEVICES = "devices"
    """It was lowered for another number of devices than are there, or not for this bench's platform."""
    UNSAFE = "unsafe"
    """Its producer switched safety checks off."""


class Trouble(StrEnum):
    """Why a program that was accepted gave no answer."""

    BAD_INPUTS = "bad_inputs"
    """The inputs sent do not fit the program's signature: the caller's mistake."""
    NOT_INTERPRETABLE = "not_interpretable"
    """The interpreter was asked for and cannot run this program."""
    COMPILE = "compile"
    """The compiler rejected it."""
    RUN = "run"
    """It failed while running; running out of memory ends here when the runtime notices in time."""
    SIZES = "sizes"
    """It leaves sizes open, but not so far that it would take these inputs."""
    INTERNAL = "internal"
    """A fault of the bench itself."""


class How(StrEnum):
    """Which executor runs a program."""

    AUTO = "auto"
    INTERPRET = "interpret"
    """StableHLO's reference interpreter: no compilation, dear per element. A surprise ends the process."""
    COMPILE = "compile"


@dataclass(frozen=True, slots=True, kw_only=True)
class Aval:
    """Type of one flat input or output. `shape` excludes a key's words; symbolic sizes are strings.

    A program with symbolic sizes is run for the sizes of the inputs that are sent.
    """

    dtype: str
    shape: tuple[int | str, ...]
    key: str | None = None
    """For typed PRNG keys the implementation (``threefry2x32``…); `dtype` is then ``uint32``."""

    @classmethod
    def read(cls, data: Mapping[str, Any]) -> Self:
        return cls(dtype=data["dtype"], shape=tuple(data["shape"]), key=data["key"])

    def to_json(self) -> dict[str, Any]:
        return {"dtype": self.dtype, "shape": list(self.shape), "key": self.key}


@dataclass(frozen=True, slots=True, kw_only=True)
class Loop:
    """One loop. `trips` is None where it depends on values; `total` multiplies enclosing loops."""

    trips: int | None
    total: int | None

    @classmethod
    def read(cls, data: Mapping[str, Any]) -> Self:
        return cls(trips=data["trips"], total=data["total"])

    def to_json(self) -> dict[str, Any]:
        return {"trips": self.trips, "total": self.total}


@dataclass(frozen=True, slots=True, kw_only=True)
class ProgramFacts:
    """What a program is made of, read without running it. Only programs that were accepted have facts."""

    digest: str
    """SHA-256 of the module's text without locations and name: equal for two exports of one function."""
    inputs: tuple[Aval, ...]
    outputs: tuple[Aval, ...]
    ops: int
    """Operations in all functions and regions, without constants and terminators; a function counts once."""
    histogram: Mapping[str, int]
    """Operations by name, ``stablehlo.add`` …, constants included."""
    custom_calls: tuple[str, ...]
    largest_elements: int
    """Elements of the largest value that any operation makes."""
    loops: tuple[Loop, ...]
    """Every loop outside the PRNG kernels."""
    constant_bytes: int
    platforms: tuple[str, ...]
    interpretable: bool
    """Whether the interpreter knows every operation and does it exactly; it may still be too slow."""
    cost: float | None
    """Estimated CPU seconds of one interpreted run; None where a loop's length depends on values."""

    @property
    def compile_s(self) -> float:
        """Estimated CPU seconds of one compilation at lowest effort."""
        return 0.015 + 0.65e-3 * self.ops

    @property
    def is_symbolic(self) -> bool:
        """Whether it leaves sizes of its inputs open."""
        return any(isinstance(size, str) for aval in self.inputs for size in aval.shape)

    @property
    def sequential_steps(self) -> int | None:
        """Loop steps in all; None where a loop's length depends on values."""
        totals = [loop.total for loop in self.loops]
        return None if None in totals else sum(total for total in totals if total is not None)

    @classmethod
    def read(cls, data: Mapping[str, Any]) -> Self:
        return cls(
            digest=data["digest"],
            inputs=tuple(map(Aval.read, data["inputs"])),
            outputs=tuple(map(Aval.read, data["outputs"])),
            ops=data["ops"],
            histogram=dict(data["histogram"]),
            custom_calls=tuple(data["custom_calls"]),
            largest_elements=data["largest_elements"],
            loops=tuple(map(Loop.read, data["loops"])),
            constant_bytes=data["constant_bytes"],
            platforms=tuple(data["platforms"]),
            interpretable=data["interpretable"],
            cost=data["cost"],
        )

    def to_json(self) -> dict[str, Any]:
        return {
            "digest": self.digest,
            "inputs": [aval.to_json() for aval in self.inputs],
            "outputs": [aval.to_json() for aval in self.outputs],
            "ops": self.ops,
            "histogram": dict(self.histogram),
            "custom_calls": list(self.custom_calls),
            "largest_elements": self.largest_elements,
            "loops": [loop.to_json() for loop in self.loops],
            "constant_bytes": self.constant_bytes,
            "platforms": list(self.platforms),
            "interpretable": self.interpretable,
            "cost": self.cost,
        }


@dataclass(frozen=True, slots=True, kw_only=True)
class Evaluation:
    """Outputs of one program for each input set, in the order of the sets."""

    outputs: tuple[tuple[Leaf, ...], ...]
    how: How
    cost: Mapping[str, float]
    """CPU seconds by stage: ``read``, ``compile``, ``interpret`` or ``run``."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SpreadEvaluation:
    """Outputs of one run of a program made for `devices` simulated devices, and where each of them lies."""

    outputs: tuple[Leaf, ...]
    places: tuple[Placement, ...]
    devices: int
    cost: Mapping[str, float]
    """CPU seconds by stage: ``read`` and ``run``, which includes compiling."""
