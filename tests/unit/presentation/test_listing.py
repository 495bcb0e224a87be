import pytest
from hypothesis import given
from hypothesis import strategies as st

from grader.domain.submission import SourceFile
from grader.domain.text import printable
from grader.presentation.listing import LINE_LIMIT, MOST_LINES, Listing, Note, listing_of
from tests.builders import HOSTILE, SOURCE


def listed(text: str, *, name: str = "submission.py", notes: dict[int, list[Note]] | None = None) -> Listing:
    return listing_of(SourceFile(name=name, text=text), notes or {})


def style_of(text: str, part: str) -> str:
    return next(piece.style for line in listed(text).lines for piece in line.pieces if piece.text == part)


@given(st.text(st.characters(exclude_categories=()), max_size=200))
def test_a_listing_shows_exactly_the_text_that_was_handed_in(text: str):
    shown = [line.text for line in listed(text).lines]
    assert shown == [printable(line, limit=LINE_LIMIT) for line in text.removesuffix("\n").split("\n")]


@pytest.mark.parametrize("text", [SOURCE, SOURCE.replace("\n", "\n\n"), "x = '''a\nb\nc'''\n", 'f"{x}"\n'])
def test_python_is_shown_as_it_is(text: str):
    assert [line.text for line in listed(text).lines] == text.removesuffix("\n").split("\n")


@pytest.mark.parametrize(
    "text,part,style",
    [
        ("return 1\n", "return", "k"),
        ("return 1\n", "1", "n"),
        ("x = 'a'  # why\n", "'a'", "s"),
        ("x = 'a'  # why\n", "# why", "c"),
        ("def smooth(x):\n    pass\n", "smooth", "d"),
        ("x = '''a\nb\nc'''\n", "b", "s"),
    ],
)
def test_python_is_coloured(text: str, part: str, style: str):
    assert style_of(text, part) == style


def test_what_is_not_python_stays_plain_from_there_on():
    lines = listed("x = 1\n$$$ broken (\ny = 'a\n").lines
    assert lines[0].pieces[-1].style == "n"
    assert [line.text for line in lines] == ["x = 1", "$$$ broken (", "y = 'a"]


def test_marks_and_notes_stand_at_their_line():
    note = Note(anchor="c1", title="A key is used more than once")
    lines = listed("a\nb\nc\n", notes={2: [note]}).lines
    assert [line.marked for line in lines] == [False, True, False]
    assert lines[1].notes == (note,)


def test_an_excerpt_marks_its_line_and_has_no_blank_edges():
    excerpt = listed("\n\nx = 1\n\ny = 2\n").around(3)
    assert [(line.number, line.marked) for line in excerpt] == [(3, True), (4, False), (5, False)]


@pytest.mark.parametrize("line", [0, -1, 4, 10**9])
def test_a_line_outside_the_file_has_no_excerpt(line: int):
    assert listed("a\nb\nc\n").around(line) == ()


def test_lines_of_a_notebook_are_numbered_by_cell():
    text = "# %% cell 1\nimport jax\n# %% cell 4\nx = 1\ny = 2\n"
    assert [line.label for line in listed(text, name="hw.ipynb").lines] == ["", "1:1", "", "4:1", "4:2"]
    assert listed(text).lines[4].label == "5"


def test_long_files_and_long_lines_are_cut():
    listing = listed("x = 1\n" * (MOST_LINES + 5))
    assert (len(listing.lines), listing.left_out) == (MOST_LINES, 5)
    assert len(listed("y" * 10_000).lines[0].text) == LINE_LIMIT


def test_hostile_text_is_inert():
    assert listed(HOSTILE).lines[0].text == printable(HOSTILE)


def test_an_excerpt_of_a_notebook_ends_at_the_borders_of_its_cell():
    text = "# %% cell 1\na = 1\n# %% cell 2\nb = 1\nc = 2\n# %% cell 3\nd = 3\n"
    excerpt = listed(text, name="hw.ipynb").around(4)
    assert [(line.label, line.text) for line in excerpt] == [("2:1", "b = 1"), ("2:2", "c = 2")]
