from hypothesis import given
from hypothesis import strategies as st

from grader.domain.difference import (
    CONTEXT,
    MOST_LINES,
    Change,
    FileChange,
    FileDifference,
    differences,
    rows_of,
)
from tests.builders import submitted

LINES = st.lists(st.sampled_from(["a", "b", "c", ""]), max_size=12)


def longest_common(old: list[str], new: list[str]) -> int:
    """The textbook's slow way."""
    table = [[0] * (len(new) + 1) for _ in range(len(old) + 1)]
    for i, one in enumerate(old, start=1):
        for j, other in enumerate(new, start=1):
            table[i][j] = table[i - 1][j - 1] + 1 if one == other else max(table[i - 1][j], table[i][j - 1])
    return table[-1][-1]


@given(old=LINES, new=LINES)
def test_the_rows_hold_every_line_of_both_in_order(old: list[str], new: list[str]):
    rows = rows_of(old, new)
    assert [row.old for row in rows if row.old_number] == old
    assert [row.new for row in rows if row.new_number] == new
    assert [row.old_number for row in rows if row.old_number] == list(range(1, len(old) + 1))
    assert [row.new_number for row in rows if row.new_number] == list(range(1, len(new) + 1))
    assert all(row.old == row.new for row in rows if row.change is Change.SAME)


@given(old=LINES, new=LINES)
def test_as_many_lines_as_possible_are_kept(old: list[str], new: list[str]):
    kept = sum(row.change is Change.SAME for row in rows_of(old, new))
    assert kept == longest_common(old, new)


def only(old: str, new: str) -> FileDifference:
    [found] = differences(submitted(old), submitted(new))
    return found


def test_a_changed_line_stands_beside_the_line_it_replaced():
    found = only("x = 1\ny = 2\n", "x = 1\ny = 3\n")
    [row] = [row for hunk in found.hunks for row in hunk.rows if row.change is not Change.SAME]
    assert (row.change, row.old_number, row.old, row.new) == (Change.CHANGED, 2, "y = 2", "y = 3")
    assert (found.change, found.added, found.removed) == (FileChange.CHANGED, 1, 1)


def test_far_from_changes_equal_lines_are_counted_and_left_out():
    old = [str(number) for number in range(100)]
    new = [*old[:50], "new", *old[50:]]
    [hunk] = only("\n".join(old), "\n".join(new)).hunks
    assert (hunk.skipped, len(hunk.rows)) == (50 - CONTEXT, 2 * CONTEXT + 1)


def test_equal_submissions_have_no_hunks():
    found = only("x\n", "x\n")
    assert (found.change, found.hunks) == (FileChange.SAME, ())


def test_files_that_came_and_went_are_named():
    found = differences(submitted("x", gone="1\n"), submitted("x", come="2\n3\n"))
    assert [(file.name, file.change) for file in found] == [
        ("submission.py", FileChange.SAME),
        ("come.py", FileChange.ADDED),
        ("gone.py", FileChange.REMOVED),
    ]
    assert (found[1].added, found[2].removed) == (2, 1)


def test_the_main_module_is_compared_under_another_name():
    [found] = differences(submitted("x\n", entry="hw.py"), submitted("y\n", entry="submission.py"))
    assert (found.name, found.added, found.removed) == ("submission.py", 1, 1)


def test_a_hostile_pair_of_files_is_compared_as_far_as_is_affordable():
    old = "\n".join("ab"[number % 2] * (number % 7) for number in range(3 * MOST_LINES))
    new = "\n".join("ba"[number % 2] * (number % 5) for number in range(3 * MOST_LINES))
    assert only(old, new).cut
