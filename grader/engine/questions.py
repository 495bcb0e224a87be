"""A question about one call, as it is asked, remembered, and its answer read."""

from __future__ import annotations

import json
from collections.abc import Container, Mapping
from dataclasses import dataclass
from typing import Any

from grader.engine import testimony, trees
from grader.engine.protocol import Leaf, LeafKind, Message
from grader.engine.testimony import EagerCall, FollowedCall, PlacedCall, Seen, TracedCall

Call = TracedCall | EagerCall | FollowedCall | PlacedCall


@dataclass(frozen=True, slots=True, kw_only=True)
class CallInputs:
    """Arguments of one call: structure of ``(args, kwargs)`` and its concrete leaves."""

    structure: trees.Node
    leaves: tuple[Leaf, ...]

    def abstract(self) -> tuple[Leaf, ...]:
        """Shapes and dtypes alone, as a tracing request sends them."""
        return tuple(
            Leaf(
                kind=LeafKind.ABSTRACT,
                dtype=leaf.dtype,
                shape=leaf.shape,
                weak=leaf.weak or leaf.kind is LeafKind.SCALAR,
                impl=leaf.impl,
            )
            for leaf in self.leaves
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class Tracing:
    """How to trace a function, where that is not as it is."""

    transform: Mapping[str, Any] | None = None
    """Under a transformation; see `grader.engine.candidate.transforms`."""
    conditions: tuple[str, ...] = ()
    """Under other settings of JAX; see `grader.engine.candidate.conditions`."""
    sizes: tuple[str | None, ...] = ()
    """For each leaf a shape with symbols for sizes, as ``n, 3``, or None."""

    def options(self) -> dict[str, Any]:
        """The fields of a request that differ from those of a plain trace."""
        options: dict[str, Any] = {}
        if self.transform is not None:
            options["transform"] = dict(self.transform)
        if self.conditions:
            options["conditions"] = list(self.conditions)
        if self.sizes:
            options["sizes"] = list(self.sizes)
        return options


@dataclass(frozen=True, slots=True, kw_only=True)
class Question:
    """A request about one call of `function` in `world`; `leaves` are what is sent of its inputs.

    It is put to a candidate that has so many simulated `devices`.
    """

    kind: str
    function: str
    inputs: CallInputs
    leaves: tuple[Leaf, ...]
    world: int
    options: Mapping[str, Any]
    devices: int = 1

    def key(self) -> tuple[Any, ...]:
        """Equal for questions that need to be asked once only."""
        described = tuple(
            (
                leaf.kind,
                leaf.dtype,
                leaf.shape,
                leaf.weak,
                leaf.impl,
                None if leaf.array is None else leaf.array.tobytes(),
            )
            for leaf in self.leaves
        )
        structure, options = json.dumps(self.inputs.structure), json.dumps(self.options, sort_keys=True)
        return (self.kind, self.function, structure, described, self.world, self.devices, options)

    def message(self) -> Message:
        """The request that asks it."""
        data = {"function": self.function, "structure": self.inputs.structure, **self.options}
        return Message(kind=self.kind, data=data, leaves=self.leaves)

    def read(self, answer: Message, seen: Seen, files: Container[str]) -> Call:
        """The answer; ProtocolViolation if it is none to this question."""
        count = len(self.leaves)
        if self.options.get("how") == "followed":
            return testimony.read_followed(answer, seen, files)
        if self.options.get("how") == "eager":
            return testimony.read_called(answer, seen, inputs=count)
        if self.options.get("how") == "placed":
            return testimony.read_placed(answer, seen)
        return testimony.read_traced(answer, seen, inputs=count, program=bool(self.options["program"]))
