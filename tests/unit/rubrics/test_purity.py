"""What a cache does at its first use is told from state."""

from __future__ import annotations

import pytest

from rubrics.checks.purity import _is_memo

DICT, GROWN = "dict of 1 at 140", "dict of 2 at 140"


@pytest.mark.parametrize(
    "path, before, after",
    [
        ("table[8]", "", "ndarray (8,) float32 ab12"),
        ("table", DICT, GROWN),
        ("basis(cache)[8]", "", "tuple of 2 at 0"),
        ("basis(cache)[8]", "tuple of 2 at 0", ""),
        ("_compiled", "NoneType None", "PjitFunction at 150"),
        ("_weights", "NoneType None", "ndarray (8,) float32 ab12"),
    ],
)
def test_a_first_entry_is_a_memo(path: str, before: str, after: str):
    assert _is_memo(path, before, after, [])


@pytest.mark.parametrize(
    "path, before, after",
    [
        ("count", "int 1", "int 2"),
        ("last", "NoneType None", "tuple of 2 at 0"),
        ("seen", "bool False", "bool True"),
        ("history", "list of 0 at 140", "list of 1 at 140"),
        ("last['x']", "ndarray (3,) float32 ab", "ndarray (3,) float32 cd"),
        ("table", "dict of 2 at 140", "dict of 1 at 140"),
        ("table", "dict of 1 at 140", "dict of 2 at 190"),
        ("f.calls", "", "int 1"),
    ],
)
def test_anything_else_is_state(path: str, before: str, after: str):
    assert not _is_memo(path, before, after, [])


def test_what_hangs_on_a_kept_path_comes_with_it():
    assert _is_memo("_compiled(self)", "", "list of 0 at 9", ["_compiled"])
    assert not _is_memo("_other(self)", "", "list of 0 at 9", ["_compiled"])
