"""Inputs and results in words: what a thing is, not how it travels between processes."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from grader.domain.results import JsonValue
from grader.engine import trees
from grader.engine.protocol import Leaf, LeafKind
from rubrics.comparing import EXCERPT, Result

AnyArray = npt.NDArray[Any]

PARTS = 4
"""Parts of a tuple, list or dict that are named one by one."""


def describe_inputs(leaves: Sequence[Leaf], names: Sequence[str]) -> Iterator[dict[str, JsonValue]]:
    """The inputs of a visible check in words, small arrays with their values."""
    for name, leaf in zip(names, leaves, strict=False):
        text = leaf_in_words(leaf)
        if leaf.array is not None and _has_readable_values(leaf) and leaf.array.size <= EXCERPT * EXCERPT:
            text += " = " + np.array2string(np.asarray(leaf.array), precision=5, threshold=EXCERPT * EXCERPT)
        yield {"name": name, "text": text}


def argument_names(structure: trees.Node, parameters: Sequence[str]) -> list[str]:
    """For each leaf of a call's arguments, the one it belongs to, such as ``params['w']``."""
    by_position, by_name = structure["c"]
    names: dict[int, str] = {}
    for position, node in enumerate(by_position["c"]):
        name = parameters[position] if position < len(parameters) else f"argument {position + 1}"
        names.update(trees.leaf_paths(node, root=name))
    for key, node in zip(by_name["k"], by_name["c"], strict=True):
        names.update(trees.leaf_paths(node, root=key[1]))
    return [names[index] for index in sorted(names)]


def result_in_words(result: Result) -> str:
    """What came back: containers with their first parts, arrays with type, shape and range of values."""
    return _node_in_words(result.structure, result.leaves)


def leaf_in_words(leaf: Leaf) -> str:
    """A key by its kind, a Python number by its value, an array by type and shape."""
    if leaf.impl_is_key:
        # The words of a concrete key lie along the last axis, which the caller's key does not have.
        shape = leaf.shape[:-1] if leaf.kind is LeafKind.KEY else leaf.shape
        return f"typed PRNG keys of shape {shape}" if shape else "a typed PRNG key"
    if leaf.kind is LeafKind.SCALAR and leaf.array is not None:
        return repr(leaf.array.item())
    if leaf.impl == "scalar":
        return f"a Python number ({leaf.dtype})"
    text = f"{leaf.dtype}{list(leaf.shape)}"
    if _is_raw_key(leaf):
        return f"a raw PRNG key, {text}"
    return f"NumPy {text}" if leaf.kind is LeafKind.NUMPY else text


def _is_raw_key(leaf: Leaf) -> bool:
    """Whether an array has the form of `jax.random.PRNGKey`'s, which says nowhere that it is a key."""
    return leaf.dtype == "uint32" and leaf.shape == (2,)


def _has_readable_values(leaf: Leaf) -> bool:
    return not (leaf.impl_is_key or leaf.kind is LeafKind.SCALAR or _is_raw_key(leaf))


def _node_in_words(node: Mapping[str, Any], leaves: Sequence[Leaf]) -> str:
    kind, parts = node.get("t"), list(node.get("c", ()))
    if kind == "leaf":
        index = node.get("i")
        if not isinstance(index, int) or not 0 <= index < len(leaves):
            return "nothing"
        return _with_range(leaves[index])
    if kind == "const":
        return "None" if node.get("v", "") is None else repr(node.get("v", node.get("f")))[:60]
    if kind not in ("tuple", "list", "dict", "namedtuple"):
        return f"an object of type {str(node.get('n'))[:60]}"
    words = [_node_in_words(part, leaves) for part in parts[:PARTS]]
    if kind == "dict":
        words = [f"{str(key[1])[:30]!r}: {text}" for key, text in zip(node.get("k", ()), words, strict=False)]
    more = [f"{len(parts) - PARTS} more"] if len(parts) > PARTS else []
    return f"a {kind} of {len(parts)}" + (f" ({'; '.join([*words, *more])})" if words else "")


def _with_range(leaf: Leaf) -> str:
    """An array in words with its smallest and largest value, which is what many demands are about."""
    text, array = leaf_in_words(leaf), leaf.array
    if array is None or not _has_readable_values(leaf) or not array.size or array.dtype.kind in "bc":
        return text
    wide: AnyArray = np.asarray(array, np.float64)
    if not np.isfinite(wide).all():
        return f"{text} with NaN or infinity"
    low, high = float(wide.min()), float(wide.max())
    return f"{text}, all {low:.4g}" if low == high else f"{text} from {low:.4g} to {high:.4g}"
