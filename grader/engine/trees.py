"""Nested Python values as plain JSON structure plus a flat list of leaves, in both directions.

The structure is data, never a class: a namedtuple is its name and fields, an unknown object only its type's
name. So two values can be compared without building either, and nothing a candidate names is ever
instantiated here.

    leaf        {"t": "leaf", "i": 0}
    constant    {"t": "const", "v": 3 | true | "text" | null}, or {"t": "const", "f": "inf"}
    sequence    {"t": "list" | "tuple", "c": [node, ...]}
    mapping     {"t": "dict", "k": [["str", "w"], ...], "c": [node, ...]}
    namedtuple  {"t": "namedtuple", "n": "Point", "k": ["x", "y"], "c": [node, ...]}
    other       {"t": "object", "n": "module.Class"}
"""

from __future__ import annotations

import collections
import math
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from grader.domain.errors import ProtocolViolation
from grader.engine.protocol import Leaf

Node = dict[str, Any]
MAX_DEPTH = 40
MAX_NODES = 20_000

_Scalar = str | int | float | bool | None


class Opaque:
    """Stands for a value of a type that does not travel."""

    def __init__(self, type_name: str) -> None:
        self.type_name = type_name


AsLeaf = Callable[[object], Leaf | None]
"""Turns array-likes into leaves and answers None for the rest."""


class Packer:
    """Packs values one after the other, their leaves into one list."""

    def __init__(self) -> None:
        self.leaves: list[Leaf] = []
        self._budget = MAX_NODES

    def pack(self, value: object, as_leaf: AsLeaf) -> Node:
        """Structure of `value`. Dicts keep their order; cycles and absurd depth end as opaque nodes."""
        return self._walk(value, as_leaf, 0)

    def _walk(self, part: object, as_leaf: AsLeaf, depth: int) -> Node:
        self._budget -= 1
        if depth > MAX_DEPTH or self._budget < 0:
            return {"t": "object", "n": "nested too deeply"}
        leaf = as_leaf(part)
        if leaf is not None:
            self.leaves.append(leaf)
            return {"t": "leaf", "i": len(self.leaves) - 1}
        return _container(part, lambda child: self._walk(child, as_leaf, depth + 1)) or _constant(part)


def pack(value: object, as_leaf: AsLeaf) -> tuple[Node, tuple[Leaf, ...]]:
    """Structure and leaves of one value."""
    packer = Packer()
    return packer.pack(value, as_leaf), tuple(packer.leaves)


def _container(part: object, walk: Callable[[object], Node]) -> Node | None:
    kind = type(part)
    if isinstance(part, tuple) and kind is not tuple and isinstance(getattr(kind, "_fields", None), tuple):
        fields = [str(name) for name in kind._fields]  # type: ignore[attr-defined]
        return {"t": "namedtuple", "n": kind.__name__, "k": fields, "c": [walk(child) for child in part]}
    if kind is tuple or kind is list:
        return {"t": kind.__name__, "c": [walk(child) for child in part]}  # type: ignore[attr-defined]
    if kind is dict or kind is collections.OrderedDict:
        items = list(part.items())  # type: ignore[attr-defined]
        return {"t": "dict", "k": [_key(key) for key, _ in items], "c": [walk(child) for _, child in items]}
    return None


def _key(key: object) -> list[Any]:
    name = type(key).__name__
    if type(key) in (str, int, bool) or key is None:
        return [name, key]
    return [name, repr(key)[:200] if type(key) in (float, tuple, bytes) else ""]


def _constant(part: object) -> Node:
    if type(part) is float and not math.isfinite(part):
        return {"t": "const", "f": repr(part)}
    if part is None or type(part) in (str, int, float, bool):
        return {"t": "const", "v": part}
    return {"t": "object", "n": f"{type(part).__module__}.{type(part).__qualname__}"[:200]}


def unpack(node: Node, leaves: Sequence[Leaf], make: Callable[[Leaf], Any]) -> Any:  # noqa: ANN401
    """The value a structure describes, its leaves made by `make`; ProtocolViolation if it is malformed."""
    try:
        return _build(node, leaves, make, 0)
    except (KeyError, IndexError, TypeError, ValueError) as exc:
        raise ProtocolViolation(f"malformed structure: {type(exc).__name__}") from exc


def _build(node: Node, leaves: Sequence[Leaf], make: Callable[[Leaf], Any], depth: int) -> Any:  # noqa: ANN401
    if depth > MAX_DEPTH:
        raise ProtocolViolation("a structure is nested too deeply")
    kind = node["t"]
    if kind == "leaf":
        return make(leaves[_index(node["i"], leaves)])
    if kind == "const":
        return float(node["f"]) if "f" in node else _scalar(node["v"])
    if kind == "object":
        return Opaque(str(node["n"])[:200])
    children = [_build(child, leaves, make, depth + 1) for child in node["c"]]
    match kind:
        case "list":
            return children
        case "tuple":
            return tuple(children)
        case "dict":
            return dict(zip((_scalar(key[1]) for key in node["k"]), children, strict=True))
        case "namedtuple":
            return collections.namedtuple(node["n"], node["k"], rename=True)(*children)  # noqa: PYI024
        case _:
            raise ProtocolViolation("a structure of an unknown kind")


def _index(index: Any, leaves: Sequence[Leaf]) -> int:  # noqa: ANN401
    if type(index) is not int or not 0 <= index < len(leaves):
        raise ProtocolViolation("a structure names an array that is not there")
    return index


def _scalar(value: Any) -> _Scalar:  # noqa: ANN401
    if value is None or type(value) in (str, int, float, bool):
        return value  # type: ignore[no-any-return]
    raise ProtocolViolation("a constant that is not a plain value")


def leaf_paths(node: Node, *, root: str = "") -> dict[int, str]:
    """For each leaf index, where it sits, written as a reader would: ``[0]['w']``.

    >>> leaf_paths({"t": "tuple", "c": [{"t": "leaf", "i": 0}, {"t": "const", "v": 1}]})
    {0: '[0]'}
    """
    paths: dict[int, str] = {}

    def walk(part: Mapping[str, Any], path: str, depth: int) -> None:
        if depth > MAX_DEPTH:
            return
        if part.get("t") == "leaf":
            paths[part["i"]] = path
        for position, child in enumerate(part.get("c", ())):
            walk(child, path + _step(part, position), depth + 1)

    walk(node, root, 0)
    return paths


def _step(part: Mapping[str, Any], position: int) -> str:
    if part["t"] == "dict":
        return f"[{part['k'][position][1]!r}]"
    if part["t"] == "namedtuple":
        return f".{part['k'][position]}"
    return f"[{position}]"
