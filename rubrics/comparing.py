"""Compares a result with the right one, failing closed: structure, shape, dtype, then values."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import numpy.typing as npt

from grader.domain.results import Evidence, EvidenceKind, JsonValue
from grader.engine import trees
from grader.engine.protocol import Leaf, LeafKind

AnyArray = npt.NDArray[Any]

EXCERPT = 6
"""Rows and columns of the excerpt of two differing arrays."""

_TOLERANCE: Mapping[str, tuple[float, float]] = {
    "float16": (1e-2, 1e-2),
    "bfloat16": (4e-2, 4e-2),
    "float32": (1e-4, 1e-4),
    "float64": (1e-7, 1e-7),
    "complex64": (1e-4, 1e-4),
    "complex128": (1e-7, 1e-7),
}

_CANONICAL: Mapping[str, str] = {
    "float64": "float32", "int64": "int32", "uint64": "uint32", "complex128": "complex64",
}  # fmt: skip


@dataclass(frozen=True, slots=True, kw_only=True)
class Tolerance:
    """``|actual - expected| <= atol + rtol * |expected|``; None takes the default of the expected dtype."""

    atol: float | None = None
    rtol: float | None = None
    at_least_own: bool = False
    """Never tighter than the dtype's own: what is enough for float32 is nothing to bfloat16."""

    def of(self, dtype: str) -> tuple[float, float]:
        """Absolute and relative tolerance for a dtype; exact for integers, booleans and keys."""
        own = _TOLERANCE.get(dtype)
        if own is None:
            return 0.0, 0.0
        atol = own[0] if self.atol is None else self.atol
        rtol = own[1] if self.rtol is None else self.rtol
        return (max(atol, own[0]), max(rtol, own[1])) if self.at_least_own else (atol, rtol)


@dataclass(frozen=True, slots=True, kw_only=True)
class Difference:
    """The first thing that is wrong: a catalogue code, parameters, evidence."""

    code: str
    params: Mapping[str, JsonValue]
    evidence: tuple[Evidence, ...] = ()
    leaf: int | None = None
    """Index of the leaf of the actual result that is wrong; None where the structure is."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Result:
    """A result as structure and leaves; leaves of keys are compared by kind and shape only."""

    structure: trees.Node
    leaves: Sequence[Leaf]


def difference(
    actual: Result,
    expected: Result,
    *,
    tolerance: Tolerance,
    x64: bool = False,
    slack: Sequence[AnyArray | None] = (),
) -> Difference | None:
    """The first difference that matters, or None. `expected` is trusted, `actual` is not.

    With `x64`, types of 64 bits are asked for, and compared as exactly as they allow. `slack` is room for
    each element of each expected leaf, beside the tolerance.
    """
    pairs: list[tuple[str, int, int]] = []
    problem = _structure(expected.structure, actual.structure, "", pairs)
    if problem is not None:
        return problem
    for path, expected_index, actual_index in pairs:
        if not 0 <= actual_index < len(actual.leaves):
            return _wrong_structure(path, "an array", "nothing")
        room = slack[expected_index] if slack else None
        found = _leaf(
            path,
            actual.leaves[actual_index],
            expected.leaves[expected_index],
            tolerance,
            x64=x64,
            room=room,
        )
        if found is not None:
            return replace(found, leaf=actual_index)
    return None


def canonical(dtype: str) -> str:
    """The dtype JAX gives with 64-bit types off."""
    return _CANONICAL.get(dtype, dtype)


def _structure(
    expected: trees.Node, actual: trees.Node, path: str, pairs: list[tuple[str, int, int]]
) -> Difference | None:
    wanted, found = expected["t"], actual.get("t")
    if wanted == "leaf":
        if found == "leaf" and type(actual.get("i")) is int:
            pairs.append((path, expected["i"], actual["i"]))
            return None
        if _is_nothing(actual) and not path:
            return Difference(code="values.returns_none", params={})
        return Difference(code="values.not_an_array", params={"where": _where(path), "found": _name(actual)})
    if wanted == "const":
        same = found == "const" and expected == actual
        return None if same else _wrong_structure(path, _name(expected), _name(actual))
    if found != wanted and not (wanted == "tuple" and found == "namedtuple"):
        if _is_nothing(actual) and not path:
            return Difference(code="values.returns_none", params={})
        return _wrong_structure(path, _name(expected), _name(actual))
    if wanted == found == "namedtuple" and expected["k"] != actual.get("k"):
        return _wrong_structure(path, _name(expected), _name(actual))
    return _children(expected, actual, path, pairs)


def _is_nothing(node: trees.Node) -> bool:
    return node == {"t": "const", "v": None}


def _children(
    expected: trees.Node, actual: trees.Node, path: str, pairs: list[tuple[str, int, int]]
) -> Difference | None:
    theirs = list(actual.get("c", ()))
    if expected["t"] == "dict":
        by_key = {repr(key): child for key, child in zip(actual.get("k", ()), theirs, strict=False)}
        wanted = [repr(key) for key in expected["k"]]
        if set(by_key) != set(wanted):
            return _wrong_structure(path, _name(expected), _name(actual))
        theirs = [by_key[key] for key in wanted]
    if len(theirs) != len(expected["c"]):
        return _wrong_structure(path, _name(expected), _name(actual))
    for position, (child, other) in enumerate(zip(expected["c"], theirs, strict=True)):
        step = f"[{expected['k'][position][1]!r}]" if expected["t"] == "dict" else f"[{position}]"
        found = _structure(child, other, path + step, pairs)
        if found is not None:
            return found
    return None


def _name(node: Mapping[str, Any]) -> str:
    kind = node.get("t")
    if kind == "const":
        return "None" if node.get("v", "") is None else repr(node.get("v", node.get("f")))[:60]
    if kind == "dict":
        return "a dict with the keys " + ", ".join(str(key[1]) for key in node.get("k", ())[:12])
    if kind in ("tuple", "list"):
        return f"a {kind} of {len(node.get('c', ()))}"
    if kind == "namedtuple":
        return "a namedtuple of " + ", ".join(map(str, node.get("k", ())[:12]))
    return "an array" if kind == "leaf" else f"an object of type {str(node.get('n'))[:60]}"


def _where(path: str) -> str:
    return f"the result{path}" if path else "the result"


def _wrong_structure(path: str, expected: str, found: str) -> Difference:
    return Difference(
        code="values.wrong_structure",
        params={"where": _where(path), "expected": expected, "found": found},
        evidence=(
            Evidence(kind=EvidenceKind.STRUCTURE, data={"expected": expected, "found": found, "where": path}),
        ),
    )


def _leaf(
    path: str,
    actual: Leaf,
    expected: Leaf,
    tolerance: Tolerance,
    *,
    x64: bool,
    room: AnyArray | None,
) -> Difference | None:
    is_key, wants_key = actual.impl_is_key, expected.impl_is_key
    if is_key != wants_key:
        kinds = {True: "a typed PRNG key", False: "an array"}
        return _wrong_structure(path, kinds[wants_key], kinds[is_key])
    if actual.shape != expected.shape:
        params: dict[str, JsonValue] = {
            "where": _where(path), "expected": str(expected.shape), "found": str(actual.shape),
        }  # fmt: skip
        return Difference(code="values.wrong_shape", params=params)
    if actual.kind is LeafKind.SCALAR and expected.kind is not LeafKind.SCALAR:
        params = {"where": _where(path), "found": "a Python number"}
        return Difference(code="values.not_an_array", params=params)
    wanted = expected.dtype if x64 else canonical(expected.dtype)
    if actual.dtype not in (expected.dtype, wanted):
        params = {"where": _where(path), "expected": wanted, "found": actual.dtype}
        return Difference(code="values.wrong_dtype", params=params)
    if is_key or actual.array is None or expected.array is None:
        return None
    atol, rtol = tolerance.of(wanted)
    return _values(path, actual.array, expected.array, atol if room is None else atol + room, rtol)


def _values(
    path: str, actual: AnyArray, expected: AnyArray, atol: float | AnyArray, rtol: float
) -> Difference | None:
    wrong, not_finite = _wrong_elements(actual, expected, atol, rtol)
    if not wrong.any():
        return None
    code = "values.not_finite" if not_finite else "values.differ"
    params: dict[str, JsonValue] = {
        "where": _where(path),
        "count": int(wrong.sum()),
        "size": int(wrong.size),
        "worst": _worst(actual, expected, wrong),
    }
    return Difference(code=code, params=params, evidence=(arrays(path, actual, expected, wrong),))


def _wrong_elements(
    actual: AnyArray, expected: AnyArray, atol: float | AnyArray, rtol: float
) -> tuple[npt.NDArray[np.bool_], bool]:
    """Where two arrays of one shape differ, and whether that is a NaN or infinity in place of a number."""
    if expected.dtype.kind in "biu":
        return np.asarray(actual != expected), False
    wide = np.complex128 if expected.dtype.kind == "c" else np.float64
    with np.errstate(invalid="ignore", over="ignore"):  # even a cast warns of a NaN that signals
        have, want = np.asarray(actual, dtype=wide), np.asarray(expected, dtype=wide)
        finite = np.isfinite(want)
        close = np.abs(have - want) <= atol + rtol * np.abs(want)
    same_special = (have == want) | (np.isnan(have) & np.isnan(want))
    right = np.where(finite, close & np.isfinite(have), same_special)
    return ~right, bool((finite & ~np.isfinite(have)).any())


def _worst(actual: AnyArray, expected: AnyArray, wrong: npt.NDArray[np.bool_]) -> float | str:
    kind = np.complex128 if expected.dtype.kind == "c" else np.float64
    with np.errstate(invalid="ignore", over="ignore"):
        gap = np.abs(np.asarray(actual, dtype=kind) - np.asarray(expected, dtype=kind))[wrong]
    if not np.isfinite(gap).all():
        return "not a number"
    return float(f"{gap.max():.3g}")


def arrays(
    path: str, actual: AnyArray, expected: AnyArray | None, wrong: npt.NDArray[np.bool_] | None
) -> Evidence:
    """An excerpt of both arrays around the first wrong element, as the report shows them side by side."""
    origin = _origin(wrong) if wrong is not None else (0,) * actual.ndim
    window = tuple(slice(start, start + EXCERPT) for start in origin)
    data: dict[str, JsonValue] = {
        "label": _where(path),
        "dtype": actual.dtype.name,
        "shape": list(actual.shape),
        "origin": list(origin),
        "actual": _excerpt(actual, window),
    }
    if expected is not None and wrong is not None:
        data["expected"] = _excerpt(expected, window)
        data["differs"] = wrong[window].tolist()
    return Evidence(kind=EvidenceKind.ARRAYS, data=data)


def _origin(wrong: npt.NDArray[np.bool_]) -> tuple[int, ...]:
    if wrong.ndim == 0 or not wrong.any():
        return (0,) * wrong.ndim
    first = np.argwhere(wrong)[0]
    return tuple(
        int(min(max(at - 1, 0), max(size - EXCERPT, 0))) for at, size in zip(first, wrong.shape, strict=True)
    )


def _excerpt(array: AnyArray, window: tuple[slice, ...]) -> JsonValue:
    part = array[window] if array.ndim else array
    with np.errstate(invalid="ignore"):  # as in the comparison
        return _rounded(
            part.tolist() if part.dtype.kind in "biu" else np.asarray(part, dtype=_plain(part)).tolist()
        )


def _plain(array: AnyArray) -> type[np.generic]:
    return np.complex128 if array.dtype.kind == "c" else np.float64


def _rounded(value: Any) -> JsonValue:  # noqa: ANN401 - nested lists of numbers
    if isinstance(value, list):
        return [_rounded(child) for child in value]
    if isinstance(value, bool | int):
        return value
    if isinstance(value, complex):
        return f"{value:.6g}"
    return float(f"{value:.6g}") if np.isfinite(value) else str(value)
