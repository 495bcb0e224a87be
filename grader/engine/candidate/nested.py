"""Looks through nested lists, tuples and dicts of a student's making, no further than bounds allow."""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from grader.engine.trees import MAX_DEPTH, MAX_NODES


def parts(value: object) -> Iterator[object]:
    """`value` and what it holds, containers before their parts, up to the bounds of what may travel."""
    waiting: list[tuple[object, int]] = [(value, 0)]
    for _ in range(MAX_NODES):
        if not waiting:
            return
        part, depth = waiting.pop()
        yield part
        if depth < MAX_DEPTH:
            children = tuple(itertools.islice(_children(part), MAX_NODES))
            waiting.extend((child, depth + 1) for child in reversed(children))


def containers(value: object) -> dict[int, object]:
    """The lists and dicts in `value`, by identity; the values keep them alive."""
    return {id(part): part for part in parts(value) if isinstance(part, list | dict)}


@dataclass(frozen=True, slots=True)
class Snapshot:
    """What a container held: its keys, if it is a dict, and its parts, containers among them as snapshots."""

    kind: type
    keys: tuple[object, ...]
    parts: tuple[Any, ...]

    def still_holds(self, value: object) -> bool:
        """Whether `value` is a container that holds the very same parts."""
        return (
            type(value) is self.kind
            and len(value) == len(self.parts)  # type: ignore[arg-type]
            and tuple(_keys(value)) == self.keys
            and all(map(_is_still, self.parts, _children(value)))
        )


def snapshot(value: object) -> Any:  # noqa: ANN401 - a Snapshot, or the value itself
    """How a value of the grader's own making looks now; what is no container stands for itself."""
    if not isinstance(value, list | tuple | dict):
        return value
    return Snapshot(type(value), tuple(_keys(value)), tuple(map(snapshot, _children(value))))


def _is_still(before: object, value: object) -> bool:
    return before.still_holds(value) if isinstance(before, Snapshot) else before is value


def _keys(value: object) -> Iterator[object]:
    return dict.__iter__(value) if isinstance(value, dict) else iter(())


def _children(value: object) -> Iterator[object]:
    """The parts of a container, past any method that a student's subclass may have."""
    if isinstance(value, dict):
        return iter(dict.values(value))
    if isinstance(value, list):
        return list.__iter__(value)
    return tuple.__iter__(value) if isinstance(value, tuple) else iter(())
