"""What the launcher tells the zygote: once at its start, and once for each box."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import Any

from grader.engine.policy import BoxPolicy, Layer


@dataclass(frozen=True, slots=True, kw_only=True)
class Setup:
    """How a zygote is to be. `modules` are imported before the first fork; descriptors are inherited."""

    control: int
    examiner: int
    """A pidfd of the process it must not outlive."""
    modules: tuple[str, ...]
    readable: tuple[str, ...] = ()
    """Folders a box may read besides the interpreter and the packages."""
    layers: frozenset[Layer] = frozenset(Layer)
    """The layers to put on where the machine allows."""

    def to_json(self) -> str:
        return json.dumps({**asdict(self), "layers": sorted(self.layers)})

    @classmethod
    def from_json(cls, text: str) -> Setup:
        fields = json.loads(text)
        return cls(
            control=fields["control"],
            examiner=fields["examiner"],
            modules=tuple(fields["modules"]),
            readable=tuple(fields["readable"]),
            layers=frozenset(map(Layer, fields["layers"])),
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class Order:
    """One box to fork. `uid` and the folder `scratch` are made for it; None where it needs neither."""

    number: int
    module: str
    policy: BoxPolicy
    uid: int | None
    scratch: str | None

    def to_message(self) -> dict[str, Any]:
        return {
            "number": self.number,
            "module": self.module,
            "policy": self.policy.to_json(),
            "uid": self.uid,
            "scratch": self.scratch,
        }

    @classmethod
    def from_message(cls, message: Mapping[str, Any]) -> Order:
        return cls(
            number=message["number"],
            module=message["module"],
            policy=BoxPolicy.from_json(message["policy"]),
            uid=message["uid"],
            scratch=message["scratch"],
        )
