"""How an array lies on several devices: asked for in requests, and told of results."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Any, Self

MAX_DEVICES = 8
"""Simulated devices that a program may be made for."""


class LayoutKind(StrEnum):
    """The ways in which an array can lie on devices."""

    SPLIT = "split"
    """Each device holds an equal part, cut along one axis."""
    WHOLE = "whole"
    """Each device holds all of it."""
    ON = "on"
    """One device holds it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Layout:
    """One way. `number` is the axis of SPLIT and the device's index of ON."""

    kind: LayoutKind
    number: int = 0

    def to_json(self) -> list[Any]:
        return [self.kind.value, self.number]

    @classmethod
    def read(cls, data: Sequence[Any]) -> Self:
        kind, number = data
        return cls(kind=LayoutKind(kind), number=int(number))

    def __str__(self) -> str:
        """As a sentence says it, after "it is"."""
        match self.kind:
            case LayoutKind.SPLIT:
                return f"split over the devices along axis {self.number}"
            case LayoutKind.WHOLE:
                return "whole on every device"
            case LayoutKind.ON:
                return f"on device {self.number} alone"


WHOLE = Layout(kind=LayoutKind.WHOLE)


@dataclass(frozen=True, slots=True, kw_only=True)
class Placement:
    """Where an array was found. `shard` is the shape of each device's part."""

    devices: tuple[int, ...]
    shard: tuple[int, ...]
    committed: bool = True
    """Whether it was put there on purpose, so that it is not moved to where others are."""

    def to_json(self) -> list[Any]:
        return [list(self.devices), list(self.shard), self.committed]

    @classmethod
    def read(cls, data: Sequence[Any]) -> Self:
        devices, shard, committed = data
        return cls(devices=_indices(devices), shard=_indices(shard), committed=committed is True)

    def fits(self, layout: Layout, shape: tuple[int, ...], *, devices: int) -> bool:
        """Whether an array of `shape` lies as `layout` says, among so many devices."""
        match layout.kind:
            case LayoutKind.ON:
                return self.devices == (layout.number,)
            case LayoutKind.WHOLE:
                return len(self.devices) == devices and self.shard == shape
            case LayoutKind.SPLIT:
                return len(self.devices) == devices and self.shard == _part(shape, layout.number, devices)

    def told(self, shape: tuple[int, ...]) -> str:
        """As a sentence says it, after "it is"."""
        if len(self.devices) == 1:
            return f"on device {self.devices[0]} alone"
        if self.shard == shape:
            return f"whole on {len(self.devices)} devices"
        cut = [axis for axis, (part, all_of_it) in enumerate(zip(self.shard, shape, strict=False))
               if part != all_of_it]  # fmt: skip
        axes = " and ".join(map(str, cut))
        return f"split over {len(self.devices)} devices along axis {axes}"


def _part(shape: tuple[int, ...], axis: int, devices: int) -> tuple[int, ...] | None:
    if not -len(shape) <= axis < len(shape) or shape[axis] % devices:
        return None
    at = axis % len(shape)
    return (*shape[:at], shape[at] // devices, *shape[at + 1 :])


def _indices(data: Sequence[Any]) -> tuple[int, ...]:
    """Counts that a process told; TypeError or ValueError for anything else."""
    if not isinstance(data, list) or not all(type(each) is int and 0 <= each < math.inf for each in data):
        raise TypeError("a list of counts")
    return tuple(data)


def as_json(layouts: Sequence[Layout | None]) -> list[list[Any] | None]:
    """The layouts of a call's leaves as they travel."""
    return [None if layout is None else layout.to_json() for layout in layouts]


def read_layouts(data: Sequence[Any]) -> list[Layout | None]:
    """What `as_json` gave; TypeError or ValueError for anything else."""
    return [None if each is None else Layout.read(each) for each in data]
