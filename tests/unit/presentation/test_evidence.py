import dataclasses

import pytest
from hypothesis import given
from hypothesis import strategies as st

from grader.domain.results import Evidence, EvidenceKind, JsonValue
from grader.domain.text import has_hidden_characters
from grader.presentation.evidence import exhibit_of
from grader.presentation.exhibits import Arrays, Keys, ProgramSize, Timing, Traces
from grader.presentation.reading import grid_of, number_of, whole_of
from tests.builders import ARRAYS, HOSTILE, KEYS, PROGRAM_SIZE, TIMING, TRACES, evidence

JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=10),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=5), inner, max_size=3),
    max_leaves=12,
)
KEYS_IN_USE = st.sampled_from(
    (
        "label dtype shape actual expected differs inputs origin unit student baseline reference ratio low "
        "high needed calls traces signature points file line text stream bytes name before after rows type "
        "frames found"
    ).split()
)


def texts_of(value: object) -> list[str]:
    if isinstance(value, str):
        return [value]
    if isinstance(value, tuple | list):
        return [text for item in value for text in texts_of(item)]
    if dataclasses.is_dataclass(value):
        return [text for item in dataclasses.fields(value) for text in texts_of(getattr(value, item.name))]
    return []


@given(kind=st.sampled_from(EvidenceKind), data=st.dictionaries(KEYS_IN_USE, JSON, max_size=8))
def test_evidence_of_any_content_can_be_shown_and_its_texts_are_inert(
    kind: EvidenceKind, data: dict[str, JsonValue]
):
    exhibit = exhibit_of(Evidence(kind=kind, data=data))
    assert exhibit.kind is kind
    assert not any(has_hidden_characters(text) for text in texts_of(exhibit))


@pytest.mark.parametrize("kind", EvidenceKind)
def test_evidence_without_any_key_can_be_shown(kind: EvidenceKind):
    assert exhibit_of(Evidence(kind=kind, data={})).kind is kind


def test_a_deep_nest_does_not_exhaust_the_stack():
    deep: JsonValue = 1
    for _ in range(5_000):
        deep = [deep]
    for kind in EvidenceKind:
        assert exhibit_of(evidence(kind, actual=deep, rows=deep, text=deep, student=deep)).kind is kind


def test_entries_that_differ_are_marked_in_both_arrays():
    exhibit = exhibit_of(ARRAYS)
    assert isinstance(exhibit, Arrays)
    yours, right = exhibit.grids
    assert (yours.name, right.name) == ("Yours", "Right")
    assert [cell.differs for cell in yours.rows[1][1]] == [True, True, True]
    assert [cell.text for cell in yours.rows[1][1]] == ["0.5", "nan", "12345.7"]
    assert not any(cell.differs for cell in right.rows[0][1])


def test_indices_are_those_of_the_whole_array():
    exhibit = exhibit_of(ARRAYS)
    assert isinstance(exhibit, Arrays)
    assert exhibit.grids[0].columns == (0, 1, 2)
    assert [index for index, _ in exhibit.grids[0].rows] == [4, 5, 6]
    assert exhibit.about == "float32, shape (32, 8)"


def test_without_marks_the_arrays_are_compared_here():
    exhibit = exhibit_of(evidence(EvidenceKind.ARRAYS, actual=[1.0, 2.0], expected=[1.0, 3.0]))
    assert isinstance(exhibit, Arrays)
    assert [cell.differs for cell in exhibit.grids[0].rows[0][1]] == [False, True]


@pytest.mark.parametrize(
    "value,grid",
    [
        (5, [[5]]),
        ([1, 2], [[1, 2]]),
        ([[1], [2]], [[1], [2]]),
        ([[[1, 2]], [[3, 4]]], [[1, 2], [3, 4]]),
        ([], [[]]),
        (None, [[None]]),
        (list(range(50)), [list(range(12))]),
    ],
)
def test_arrays_of_any_rank_become_rows_and_columns(value: JsonValue, grid: list[list[JsonValue]]):
    assert grid_of(value) == grid


@pytest.mark.parametrize("value", [True, None, "3", float("nan"), float("inf"), 10**400, [1]])
def test_what_is_no_finite_number_is_none(value: JsonValue):
    assert number_of(value) is None
    assert whole_of(value) is None


def test_a_key_used_twice_is_marked_wherever_it_stands():
    exhibit = exhibit_of(KEYS)
    assert isinstance(exhibit, Keys)
    assert all(row.shared for row in exhibit.rows)
    alone = exhibit_of(
        evidence(EvidenceKind.KEYS, rows=[{"use": "draw", "key": "aa"}, {"key": "bb", "times": 2}])
    )
    assert isinstance(alone, Keys)
    assert [row.shared for row in alone.rows] == [False, True]


def test_bars_are_shares_of_the_largest_program():
    exhibit = exhibit_of(PROGRAM_SIZE)
    assert isinstance(exhibit, ProgramSize)
    assert [round(point.share, 3) for point in exhibit.points] == [0.063, 0.25, 1.0]


def test_calls_are_drawn_one_by_one_up_to_a_limit():
    few, many = exhibit_of(TRACES), exhibit_of(evidence(EvidenceKind.TRACES, calls=10**6, traces=3))
    assert isinstance(few, Traces)
    assert isinstance(many, Traces)
    assert few.marks == (True,) * 5
    assert many.marks == ()


def test_times_that_are_no_times_are_left_out():
    exhibit = exhibit_of(evidence(EvidenceKind.TIMING, student=[0.1, -1.0, 0, "x", float("inf"), None]))
    assert isinstance(exhibit, Timing)
    assert exhibit.student == (0.1,)
    assert exhibit_of(TIMING).kind is EvidenceKind.TIMING


def test_hostile_text_is_inert_in_an_exhibit():
    exhibit = exhibit_of(evidence(EvidenceKind.OUTPUT, stream=HOSTILE, text=HOSTILE))
    assert "\x1b" not in "".join(texts_of(exhibit))
    assert "\\x1b[31m" in "".join(texts_of(exhibit))


def test_the_edges_at_which_an_array_goes_on_are_known():
    exhibit = exhibit_of(ARRAYS)
    assert isinstance(exhibit, Arrays)
    grid = exhibit.grids[0]
    assert (grid.above, grid.below, grid.left, grid.right) == (True, True, False, True)
    whole = exhibit_of(evidence(EvidenceKind.ARRAYS, shape=[2], origin=[0], actual=[1.0, 2.0]))
    assert isinstance(whole, Arrays)
    [alone] = whole.grids
    assert not any((alone.above, alone.below, alone.left, alone.right))
