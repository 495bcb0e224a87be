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

What is packed is a student's own value, what is unpacked or checked may be forged: both are bounded.
"""

from __future__ import annotations

import collections
import functools
import math
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from grader.domain.errors import ProtocolViolation
from grader.engine.protocol import Leaf

Node = dict[str, Any]
MAX_DEPTH = 24
MAX_NODES = 4_000
MAX_LEAVES = 1_024
MAX_LEAF_BYTES = 192 << 20
MAX_TEXT = 200_000
"""Bounds on what one message carries, well within a frame's: a result beyond them arrives as an object."""
_MAX_NAME = 100
_MAX_BITS = 10_000

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
        self._nodes = MAX_NODES
        self._bytes = MAX_LEAF_BYTES
        self._text = MAX_TEXT

    def pack(self, value: object, as_leaf: AsLeaf) -> Node:
        """Structure of `value`. Dicts keep their order; cycles, absurd depth and size end as objects."""
        return self._walk(value, as_leaf, 0)

    def _walk(self, part: object, as_leaf: AsLeaf, depth: int) -> Node:
        if isinstance(part, _CONTAINERS):
            if depth == MAX_DEPTH:
                return _too_much("nested too deeply")
            if len(part) > self._nodes:
                return _too_much(f"a {type(part).__name__} of {len(part)}")
            self._nodes -= len(part)
            walked = _container(part, lambda child: self._walk(child, as_leaf, depth + 1))
            if walked is not None:
                return walked
        leaf = as_leaf(part)
        return self._constant(part) if leaf is None else self._leaf(leaf)

    def _constant(self, part: object) -> Node:
        if type(part) is str:
            self._text -= len(part)
            if self._text < 0:
                return _too_much(f"a str of {len(part)}")
        return _constant(part)

    def _leaf(self, leaf: Leaf) -> Node:
        self._bytes -= leaf.nbytes
        if len(self.leaves) >= MAX_LEAVES:
            return _too_much("one array too many")
        if self._bytes < 0:
            return _too_much("an array that is too large")
        self.leaves.append(leaf)
        return {"t": "leaf", "i": len(self.leaves) - 1}


def pack(value: object, as_leaf: AsLeaf) -> tuple[Node, tuple[Leaf, ...]]:
    """Structure and leaves of one value."""
    packer = Packer()
    return packer.pack(value, as_leaf), tuple(packer.leaves)


_CONTAINERS = (tuple, list, dict)


def _too_much(what: str) -> Node:
    return {"t": "object", "n": what}


def _container(
    part: tuple[Any, ...] | list[Any] | dict[Any, Any], walk: Callable[[object], Node]
) -> Node | None:
    kind = type(part)
    fields = getattr(kind, "_fields", None)
    if isinstance(part, tuple) and isinstance(fields, tuple) and len(fields) == len(part):
        names = [str(name)[:_MAX_NAME] for name in fields]
        return {
            "t": "namedtuple",
            "n": kind.__name__[:_MAX_NAME],
            "k": names,
            "c": [walk(child) for child in part],
        }
    if kind is tuple or kind is list:
        return {"t": kind.__name__, "c": [walk(child) for child in part]}
    if isinstance(part, dict) and kind in (dict, collections.OrderedDict):
        items = list(part.items())
        return {"t": "dict", "k": [_key(key) for key, _ in items], "c": [walk(child) for _, child in items]}
    return None


def _key(key: object) -> list[Any]:
    name = type(key).__name__[:_MAX_NAME]
    if type(key) is str:
        return [name, key if len(key) <= _MAX_NAME else f"{key[:_MAX_NAME]}…"]
    if type(key) in (int, bool) or key is None:
        constant = _constant(key)
        return [name, constant.get("v", constant.get("n"))]
    return [name, repr(key)[:_MAX_NAME] if type(key) in (float, bytes) else ""]


def _constant(part: object) -> Node:
    if type(part) is float and not math.isfinite(part):
        return {"t": "const", "f": repr(part)}
    if type(part) is int and part.bit_length() > _MAX_BITS:
        return _too_much(f"an int of {part.bit_length()} bits")
    if part is None or type(part) in (str, int, float, bool):
        return {"t": "const", "v": part}
    return {"t": "object", "n": f"{type(part).__module__}.{type(part).__qualname__}"[:_MAX_NAME]}


def unpack(node: Node, leaves: Sequence[Leaf], make: Callable[[Leaf], Any]) -> Any:  # noqa: ANN401
    """The value a structure describes, its leaves made by `make`; ProtocolViolation if it is malformed."""
    try:
        return _build(node, leaves, make, 0)
    except (KeyError, IndexError, TypeError, ValueError, AttributeError) as exc:
        raise ProtocolViolation(f"malformed structure: {type(exc).__name__}") from exc


def checked(node: Any, count: int) -> Node:  # noqa: ANN401 - whatever a peer sent
    """`node`, if it is a structure over `count` leaves as `pack` makes them; else ProtocolViolation."""
    budget = [MAX_NODES + 1]
    try:
        _check(node, count, 0, budget)
    except (KeyError, IndexError, TypeError, ValueError, AttributeError) as exc:
        raise ProtocolViolation(f"malformed structure: {type(exc).__name__}") from exc
    return dict(node)


def _check(node: Any, count: int, depth: int, budget: list[int]) -> None:  # noqa: ANN401 - as above
    budget[0] -= 1
    if depth > MAX_DEPTH or budget[0] < 0:
        raise ProtocolViolation("a structure is too large")
    match node["t"]:
        case "leaf":
            _index(node["i"], count)
        case "const":
            _constant_of(node)
        case "object":
            _text(node["n"])
        case "list" | "tuple" | "dict" | "namedtuple":
            _check_names(node)
            for child in _list(node["c"]):
                _check(child, count, depth + 1, budget)
        case _:
            raise ProtocolViolation("a structure of an unknown kind")


def _check_names(node: Mapping[str, Any]) -> None:
    if node["t"] in ("list", "tuple"):
        return
    names = _list(node["k"])
    if len(names) != len(_list(node["c"])):
        raise ProtocolViolation("a structure with names for other parts than it has")
    for name in names:
        if node["t"] == "dict":
            _check_key(name)
        else:
            _text(name)
    if node["t"] == "namedtuple":
        _text(node["n"])


def _check_key(key: Any) -> None:  # noqa: ANN401 - as above
    name, value = _list(key)
    _text(name)
    _scalar(value)


def _constant_of(node: Mapping[str, Any]) -> _Scalar:
    return float(_text(node["f"])) if "f" in node else _scalar(node["v"])


def _text(value: Any) -> str:  # noqa: ANN401 - as above
    if type(value) is not str:
        raise ProtocolViolation("a name that is not a text")
    return value


def _list(value: Any) -> list[Any]:  # noqa: ANN401 - as above
    if type(value) is not list:
        raise ProtocolViolation("a structure whose parts are not a list")
    return value


def _build(node: Node, leaves: Sequence[Leaf], make: Callable[[Leaf], Any], depth: int) -> Any:  # noqa: ANN401
    if depth > MAX_DEPTH:
        raise ProtocolViolation("a structure is nested too deeply")
    kind = node["t"]
    if kind == "leaf":
        return make(leaves[_index(node["i"], len(leaves))])
    if kind == "const":
        return _constant_of(node)
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
            return _namedtuple(tuple(node["k"]))(*children)
        case _:
            raise ProtocolViolation("a structure of an unknown kind")


@functools.lru_cache(maxsize=256)
def _namedtuple(fields: tuple[str, ...]) -> Callable[..., Any]:
    """One class for equal fields: JAX tells pytrees apart by class."""
    made: Callable[..., Any] = collections.namedtuple("Result", [*fields], rename=True)  # type: ignore[misc]  # noqa: PYI024
    return made


def _index(index: Any, count: int) -> int:  # noqa: ANN401
    if type(index) is not int or not 0 <= index < count:
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
