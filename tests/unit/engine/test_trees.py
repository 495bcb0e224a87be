"""Nested values travel as structure and leaves, within bounds; a forged structure is refused."""

from __future__ import annotations

import collections
import json
import math
from typing import Any, NamedTuple

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from grader.domain.errors import ProtocolViolation
from grader.engine import trees
from grader.engine.protocol import FrameLimits, Leaf, LeafKind
from grader.engine.trees import Opaque


class Point(NamedTuple):
    x: Any
    y: Any


def as_leaf(value: object) -> Leaf | None:
    return Leaf.of(value, kind=LeafKind.NUMPY) if isinstance(value, np.ndarray) else None


def back(node: trees.Node, leaves: tuple[Leaf, ...]) -> Any:  # noqa: ANN401 - any value
    return trees.unpack(node, leaves, lambda leaf: leaf.array)


constants = st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(max_size=20)
values = st.recursive(
    constants | st.integers(0, 3).map(np.arange),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.lists(inner, max_size=3).map(tuple)
        | st.dictionaries(st.text(max_size=5) | st.integers() | st.booleans() | st.none(), inner, max_size=3)
        | st.tuples(inner, inner).map(lambda pair: Point(*pair))
    ),
    max_leaves=15,
)


def same(one: Any, other: Any) -> bool:  # noqa: ANN401 - any values
    if isinstance(one, np.ndarray):
        return isinstance(other, np.ndarray) and np.array_equal(one, other)
    if isinstance(one, dict):
        return list(one) == list(other) and all(same(one[key], other[key]) for key in one)
    if isinstance(one, list | tuple):
        return len(one) == len(other) and all(map(same, one, other))
    return type(one) is type(other) and one == other


@given(values)
def test_a_value_comes_back_as_it_was_packed(value: object):
    node, leaves = trees.pack(value, as_leaf)
    assert same(value, back(node, leaves))


@given(values)
def test_what_is_packed_passes_the_check_and_is_strict_json(value: object):
    node, leaves = trees.pack(value, as_leaf)
    assert trees.checked(json.loads(json.dumps(node, allow_nan=False)), len(leaves)) == node


junk = st.recursive(
    constants,
    lambda inner: (
        st.lists(inner, max_size=4)
        | st.dictionaries(st.sampled_from(["t", "i", "c", "k", "v", "f", "n"]), inner, max_size=5)
    ),
    max_leaves=20,
)
forged = st.fixed_dictionaries(
    {"t": st.sampled_from(["leaf", "const", "list", "tuple", "dict", "namedtuple", "object", "other"])},
    optional={"i": junk, "c": junk, "k": junk, "v": junk, "f": junk, "n": junk},
)


@given(junk | forged | st.lists(forged, max_size=3).map(lambda nodes: {"t": "list", "c": nodes}))
def test_a_forged_structure_is_refused_or_is_one(node: Any):  # noqa: ANN401 - any JSON
    leaves = (Leaf.of(np.zeros(1), kind=LeafKind.NUMPY),)
    try:
        checked = trees.checked(node, len(leaves))
    except ProtocolViolation:
        return
    back(checked, leaves)


@given(junk | forged)
def test_unpacking_a_forged_structure_gives_a_value_or_a_refusal(node: Any):  # noqa: ANN401 - any JSON
    try:
        back(node, ())
    except ProtocolViolation:
        return


@pytest.mark.parametrize(
    "node",
    [
        {"t": "leaf", "i": 1},
        {"t": "leaf", "i": -1},
        {"t": "leaf", "i": True},
        {"t": "leaf", "i": "0"},
        {"t": "const", "v": [1]},
        {"t": "const", "f": 1.0},
        {"t": "dict", "k": [["str", "a"]], "c": []},
        {"t": "dict", "k": ["a"], "c": [{"t": "const", "v": 1}]},
        {"t": "namedtuple", "n": "P", "k": [1], "c": [{"t": "const", "v": 1}]},
        {"t": "list", "c": {"0": 1}},
        {"t": "object", "n": None},
        {"t": "class", "n": "os.system"},
        {},
        [],
        None,
        "leaf",
    ],
)
def test_malformed_nodes_are_refused(node: Any):  # noqa: ANN401 - any JSON
    with pytest.raises(ProtocolViolation):
        trees.checked(node, 1)


def test_a_structure_deeper_than_any_that_is_packed_is_refused():
    node: dict[str, Any] = {"t": "const", "v": 1}
    for _ in range(trees.MAX_DEPTH + 2):
        node = {"t": "list", "c": [node]}
    with pytest.raises(ProtocolViolation):
        trees.checked(node, 0)


def test_a_structure_of_too_many_nodes_is_refused():
    with pytest.raises(ProtocolViolation):
        trees.checked({"t": "list", "c": [{"t": "const", "v": 1}] * (trees.MAX_NODES + 1)}, 0)


def test_absurd_depth_ends_in_an_object_and_still_travels():
    value: list[Any] = []
    for _ in range(5000):
        value = [value]
    node, leaves = trees.pack(value, as_leaf)
    trees.checked(node, len(leaves))
    depth = 0
    while node["t"] == "list":
        node, depth = node["c"][0], depth + 1
    assert node == {"t": "object", "n": "nested too deeply"}
    assert 2 * depth < FrameLimits().depth - 4


def test_a_value_that_holds_itself_ends():
    value: list[Any] = []
    value.append(value)
    node, _ = trees.pack(value, as_leaf)
    trees.checked(node, 0)


@given(st.lists(st.integers(0, trees.MAX_NODES), max_size=6))
def test_no_shape_of_many_parts_exceeds_the_bounds(sizes: list[int]):
    value: list[Any] = [0]
    for size in sizes:
        value = [value, *[0] * size]
    node, _ = trees.pack(value, as_leaf)
    trees.checked(node, 0)


def test_a_million_parts_are_told_in_words():
    node, leaves = trees.pack([1.0] * 1_000_000, as_leaf)
    assert (node, leaves) == ({"t": "object", "n": "a list of 1000000"}, ())


def test_too_many_arrays_are_told_in_words():
    node, leaves = trees.pack([np.zeros(1)] * (trees.MAX_LEAVES + 2), as_leaf)
    assert len(leaves) == trees.MAX_LEAVES <= FrameLimits().leaves
    assert node["c"][-1]["t"] == "object"


def test_arrays_beyond_a_message_are_told_in_words():
    half = np.zeros(trees.MAX_LEAF_BYTES // 2 + 8, np.uint8)
    node, leaves = trees.pack((half, half), as_leaf)
    assert len(leaves) == 1
    assert node["c"][1] == {"t": "object", "n": "an array that is too large"}


def test_the_bounds_fit_a_frame_at_their_worst():
    text = "\N{SNOWMAN}" * (trees.MAX_TEXT // 2)
    value = {f"{index} {'k' * 200}": index for index in range(trees.MAX_NODES - 3)}
    node, _ = trees.pack([value, text, text, text], as_leaf)
    assert len(json.dumps(node)) < FrameLimits().head_bytes
    assert node["c"][3]["t"] == "object"


def test_floats_that_are_not_finite_keep_their_value():
    node, leaves = trees.pack([math.inf, -math.inf, math.nan], as_leaf)
    json.dumps(node, allow_nan=False)
    first, second, third = back(node, leaves)
    assert (first, second, math.isnan(third)) == (math.inf, -math.inf, True)


def test_an_integer_that_python_would_not_write_is_told_in_words():
    node, _ = trees.pack(1 << 100_000, as_leaf)
    assert node["t"] == "object"


def test_unknown_objects_are_named_and_never_built():
    node, leaves = trees.pack({"model": io_of()}, as_leaf)
    opened = back(node, leaves)["model"]
    assert isinstance(opened, Opaque)
    assert opened.type_name == "_io.StringIO"


def io_of() -> object:
    import io  # noqa: PLC0415 - any object will do

    return io.StringIO()


def test_dicts_keep_their_order():
    node, leaves = trees.pack(collections.OrderedDict(b=1, a=2), as_leaf)
    assert list(back(node, leaves)) == ["b", "a"]


def test_a_namedtuple_comes_back_with_its_fields_but_not_its_class():
    value = back(*trees.pack(Point(1, 2), as_leaf))
    assert (value.x, value.y, type(value).__name__) == (1, 2, "Result")


def test_field_names_that_are_no_names_are_replaced():
    node = {"t": "namedtuple", "n": "P", "k": ["import os", "class"], "c": [{"t": "const", "v": 1}] * 2}
    assert tuple(back(node, ())) == (1, 1)


def test_a_tuple_whose_fields_do_not_fit_is_an_object():
    class Odd(tuple):  # noqa: SLOT001 - as a student might
        _fields = ("a", "b", "c")

    node, _ = trees.pack(Odd((1,)), as_leaf)
    assert node["t"] == "object"


def test_paths_of_leaves_read_as_a_reader_would_write_them():
    value = {"w": [np.zeros(1), np.zeros(1)], 3: Point(np.zeros(1), 1)}
    node, _ = trees.pack(value, as_leaf)
    assert trees.leaf_paths(node, root="params") == {
        0: "params['w'][0]",
        1: "params['w'][1]",
        2: "params[3].x",
    }
