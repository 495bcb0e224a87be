"""What a key log says, as values: which PRNG keys a program used, and which uses were wrong. Free of JAX."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from typing import Any, Self


class KeyFault(StrEnum):
    """One way to misuse a key."""

    REUSED = "reused"
    """A key served twice: two draws, a draw and a split, a draw and `fold_in`, the same `fold_in` twice."""
    SAMPLER_REUSE = "sampler_reuse"
    """The same inside one run of `poisson`, which the student cannot help: policy."""
    FOREIGN = "foreign"
    """A key was used that does not come from the program's inputs: a constant, or words computed by hand."""
    RETURNED_USED = "returned_used"
    """A returned key had already served."""
    RETURNED_INPUT = "returned_input"
    """A returned key is one of the input keys, unchanged."""
    RETURNED_FOREIGN = "returned_foreign"
    """A returned key does not come from the program's inputs."""
    RETURNED_TWICE = "returned_twice"
    """The same new key was returned in two places."""
    UNUSED = "unused"
    """An input key was neither used nor returned."""


INLINED_SAMPLERS = frozenset({"binomial", "multinomial"})
"""Library samplers that reuse keys inside and leave no name in the program: they show as `KeyFault.REUSED`,
all uses on the sampler's line. A rubric that allows them looks for these names in the source there."""


class Purpose(StrEnum):
    """What one evaluation of the generator was for."""

    DRAW = "draw"
    SPLIT = "split"
    FOLD_IN = "fold_in"


class Unverifiable(StrEnum):
    """Why there is no key log."""

    OTHER_GENERATOR = "other_generator"
    """Keys of another implementation than threefry2x32, or a generator written by hand."""
    NOT_INTERPRETABLE = "not_interpretable"
    """What leads to a draw contains operations that only the compiler knows."""
    TOO_LARGE = "too_large"
    """More draws, or more work, than a log may take."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SourceLine:
    """A line that led to an operation, by the traced program's own account: hearsay."""

    file: str
    line: int
    function: str

    @classmethod
    def read(cls, data: Mapping[str, Any]) -> Self:
        return cls(file=data["file"], line=data["line"], function=data["function"])

    def to_json(self) -> dict[str, Any]:
        return {"file": self.file, "line": self.line, "function": self.function}


@dataclass(frozen=True, slots=True, kw_only=True)
class KeyUse:
    """One place where a key served. `by` names the library function, such as ``normal`` or ``split``."""

    purpose: Purpose
    by: str
    lines: tuple[SourceLine, ...]
    """Innermost first, without the library's own; several where functions call each other."""

    @classmethod
    def read(cls, data: Mapping[str, Any]) -> Self:
        lines = tuple(map(SourceLine.read, data["lines"]))
        return cls(purpose=Purpose(data["purpose"]), by=data["by"], lines=lines)

    def to_json(self) -> dict[str, Any]:
        lines = [line.to_json() for line in self.lines]
        return {"purpose": self.purpose.value, "by": self.by, "lines": lines}


@dataclass(frozen=True, slots=True, kw_only=True)
class KeyFinding:
    """One misuse. Equal misuses of several keys in the same places are one finding, `keys` says how many."""

    fault: KeyFault
    key: str
    """Where the key comes from: ``input 0.split[1]``, ``input 0.fold_in(3)``, ``foreign 1``."""
    keys: int = 1
    times: int = 0
    """How often the key served in all; loops and rows count."""
    uses: tuple[KeyUse, ...] = ()
    """At most four, in order. A use repeated by a loop is listed once."""
    words: tuple[int, int] | None = None
    """The words of a foreign key; ``(0, n)`` looks like ``jax.random.key(n)``."""
    output: int | None = None
    """The flat output that returned it, for the faults of returned keys."""
    sampler: str | None = None

    @classmethod
    def read(cls, data: Mapping[str, Any]) -> Self:
        words = data["words"]
        return cls(
            fault=KeyFault(data["fault"]),
            key=data["key"],
            keys=data["keys"],
            times=data["times"],
            uses=tuple(map(KeyUse.read, data["uses"])),
            words=None if words is None else (words[0], words[1]),
            output=data["output"],
            sampler=data["sampler"],
        )

    def to_json(self) -> dict[str, Any]:
        return {
            "fault": self.fault.value,
            "key": self.key,
            "keys": self.keys,
            "times": self.times,
            "uses": [use.to_json() for use in self.uses],
            "words": None if self.words is None else list(self.words),
            "output": self.output,
            "sampler": self.sampler,
        }


@dataclass(frozen=True, slots=True, kw_only=True)
class KeyLog:
    """The uses of all keys in one run. With `unverifiable` set there is no log, and no findings."""

    findings: tuple[KeyFinding, ...] = ()
    draws: int = 0
    """Evaluations of the generator that were draws, each over a whole array."""
    blocks: int = 0
    """Numbers drawn, all draws together: fewer than the results need means that some are copies."""
    derivations: int = 0
    """Evaluations that made new keys."""
    keys_used: int = 0
    unverifiable: Unverifiable | None = None
    detail: str = ""
    cost: Mapping[str, float]

    @classmethod
    def read(cls, data: Mapping[str, Any]) -> Self:
        reason = data["unverifiable"]
        return cls(
            findings=tuple(map(KeyFinding.read, data["findings"])),
            draws=data["draws"],
            blocks=data["blocks"],
            derivations=data["derivations"],
            keys_used=data["keys_used"],
            unverifiable=None if reason is None else Unverifiable(reason),
            detail=data["detail"],
            cost=data["cost"],
        )

    def to_json(self) -> dict[str, Any]:
        return {
            "findings": [finding.to_json() for finding in self.findings],
            "draws": self.draws,
            "blocks": self.blocks,
            "derivations": self.derivations,
            "keys_used": self.keys_used,
            "unverifiable": None if self.unverifiable is None else self.unverifiable.value,
            "detail": self.detail,
            "cost": dict(self.cost),
        }
