"""What a race says, as values: every sample, so that the examiner can decide again. Free of JAX."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from typing import Any, Self

from grader.engine.protocol import Leaf
from grader.engine.statistics import Decision, RaceRule, decide, ratios

SUBMISSION, RIVAL = "submission", "rival"


class Basis(StrEnum):
    """Which clock decides."""

    CPU = "cpu"
    """CPU time of the process, all its threads together: unmoved by what else the machine does."""
    WALL = "wall"
    """Elapsed time, where the work is not done by this process: on a GPU."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Lane:
    """One program of a race: seconds of one run, sample by sample, each an average over `repeats` runs."""

    cpu_s: tuple[float, ...]
    wall_s: tuple[float, ...]
    repeats: int
    compile_s: float
    """CPU seconds of its compilation; zero if this bench had compiled it before."""

    def seconds(self, basis: Basis) -> tuple[float, ...]:
        return self.cpu_s if basis is Basis.CPU else self.wall_s

    @classmethod
    def read(cls, data: Mapping[str, Any]) -> Self:
        return cls(
            cpu_s=tuple(data["cpu_s"]),
            wall_s=tuple(data["wall_s"]),
            repeats=data["repeats"],
            compile_s=data["compile_s"],
        )

    def to_json(self) -> dict[str, Any]:
        return {
            "cpu_s": list(self.cpu_s),
            "wall_s": list(self.wall_s),
            "repeats": self.repeats,
            "compile_s": self.compile_s,
        }


@dataclass(frozen=True, slots=True, kw_only=True)
class RaceResult:
    """Times of all lanes, pair by pair in the same order, and what they were measured under."""

    lanes: Mapping[str, Lane]
    """By name: ``submission``, ``rival``, and any others that ran along."""
    basis: Basis
    outputs: Mapping[str, tuple[Leaf, ...]]
    """What each lane's last timed run returned, all for the same inputs: `last_set` of those sent."""
    last_set: int
    switches: int
    """Involuntary context switches of the bench during the measurement."""
    cost: Mapping[str, float]

    @classmethod
    def read(cls, data: Mapping[str, Any], outputs: Mapping[str, tuple[Leaf, ...]]) -> Self:
        return cls(
            lanes={name: Lane.read(lane) for name, lane in data["lanes"].items()},
            basis=Basis(data["basis"]),
            outputs=outputs,
            last_set=data["last_set"],
            switches=data["switches"],
            cost=data["cost"],
        )

    def to_json(self) -> dict[str, Any]:
        """Everything but the outputs, which travel as arrays."""
        return {
            "lanes": {name: lane.to_json() for name, lane in self.lanes.items()},
            "basis": self.basis.value,
            "last_set": self.last_set,
            "switches": self.switches,
            "cost": dict(self.cost),
        }

    def decision(self, *, at_least: float, rule: RaceRule | None = None) -> Decision:
        """Whether the submission is at least `at_least` times faster than the rival, by these samples."""
        submission, rival = (self.lanes[name].seconds(self.basis) for name in (SUBMISSION, RIVAL))
        return decide(ratios(submission, rival), needed=at_least, rule=rule)
