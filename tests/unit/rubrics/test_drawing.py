"""Inputs are secret and fresh, and the seed tells them all."""

from __future__ import annotations

import numpy as np
import pytest

from grader.engine.protocol import LeafKind
from rubrics import bf16, f32, i32, key, raw_key
from rubrics.drawing import Case, Draw


def arrays(case: Case) -> list[bytes]:
    return [given.array.tobytes() for given in case.givens]


def test_equal_seeds_draw_equal_inputs():
    cases = [Draw("seed", "check")(f32[4, 3], key, {"w": i32[2]}) for _ in range(2)]
    assert arrays(cases[0]) == arrays(cases[1])


@pytest.mark.parametrize("other", [("other", "check"), ("seed", "another check")])
def test_another_seed_or_check_draws_other_inputs(other: tuple[str, str]):
    assert arrays(Draw("seed", "check")(f32[4, 3])) != arrays(Draw(*other)(f32[4, 3]))


def test_drawing_again_keeps_shapes_and_changes_values():
    case = Draw("seed", "check")(f32[4, 3], 7)
    again = case.again()
    assert again.args[1] == 7
    assert again.args[0].array.shape == (4, 3)
    assert arrays(case) != arrays(again)


def test_other_keys_leave_everything_else_as_it_is():
    case = Draw("seed", "check")({"w": f32[3]}, key, [raw_key], 0.5)
    other = case.with_other_keys()
    assert case.has_key
    assert (other.args[0]["w"].array == case.args[0]["w"].array).all()
    assert (other.args[1].array != case.args[1].array).any()
    assert (other.args[2][0].array != case.args[2][0].array).any()
    assert other.args[3] == 0.5


def test_a_case_without_keys_says_so():
    assert not Draw("seed", "check")(f32[3]).has_key


def test_numpy_arrays_and_keys_keep_their_kinds():
    case = Draw("seed", "check").numpy(f32[2], key)
    assert [given.kind for given in case.givens] == [LeafKind.NUMPY, LeafKind.KEY]
    assert case.as_numpy


def test_specs_draw_what_they_say():
    draw = Draw("seed", "check")
    between = draw(i32[1000].between(2, 4)).givens[0].array
    assert set(between.tolist()) == {2, 3, 4}
    spread = draw(f32[4000].normal(5, 0.1)).givens[0].array
    assert abs(spread.mean() - 5) < 0.02
    assert abs(spread.std() - 0.1) < 0.02
    assert draw(f32[2, 2].full(1, 2)).givens[0].array.tolist() == [[1, 2], [1, 2]]
    assert draw(i32.scalar(7)).givens[0].array.shape == ()
    assert draw(bf16[2]).givens[0].array.dtype.name == "bfloat16"


def test_a_static_number_is_a_constant_and_another_is_traced():
    case = Draw("seed", "check")(f32[2], 3)
    assert len(case.inputs(frozenset({1, "n"})).leaves) == 1
    assert len(case.inputs(frozenset()).leaves) == 2


def test_a_given_array_is_copied():
    mine = np.zeros(3, np.float32)
    case = Draw("seed", "check")(mine)
    mine[0] = 1
    assert case.givens[0].array[0] == 0


def test_sizes_are_those_of_arrays_and_whole_numbers():
    assert Draw("seed", "check")(f32[4, 3], key, i32.scalar(9), 7, "text").sizes() == (4, 3, 9, 7)


def test_rows_are_cut_along_any_axis_and_the_rest_stays():
    case = Draw("seed", "check")({"a": f32[2, 3]}, f32[3], 7)
    rows = case.rows({0: 1, 1: 0})
    assert len(rows) == 3
    assert rows[2].args[0]["a"].array.tolist() == case.args[0]["a"].array[:, 2].tolist()
    assert rows[2].args[1].array == case.args[1].array[2]
    assert rows[2].args[2] == 7


def test_arguments_of_different_lengths_have_no_rows():
    assert Draw("seed", "check")(f32[2], f32[3]).rows({0: 0, 1: 0}) == []


def test_a_widened_case_has_the_same_numbers_in_64_bits():
    case = Draw("seed", "check")(bf16[4], i32[4], key, scale=f32[2])
    wide = case.widened()
    assert [given.array.dtype.name for given in wide.givens] == ["float64", "int32", "uint32", "float64"]
    assert wide.givens[0].array.tolist() == case.givens[0].array.astype(np.float64).tolist()
    assert wide.again().givens[0].array.dtype == np.float64


def test_a_negative_size_is_refused():
    with pytest.raises(ValueError, match="negative size"):
        f32[-1]
