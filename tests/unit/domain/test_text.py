import string
import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from grader.domain.text import (
    csv_cell,
    did_you_mean,
    has_hidden_characters,
    head_and_tail,
    listing,
    one_line,
    printable,
)

ANY_TEXT = st.text(st.characters(exclude_categories=()), max_size=300)


@pytest.mark.parametrize(
    "raw,shown",
    [
        ("\x1b[2Jgone", "\\x1b[2Jgone"),
        ("a\x00b", "a\\x00b"),
        ("\u202eevil", "\\u202eevil"),
        ("\udc80", "\\udc80"),
        ("\x9b31m", "\\x9b31m"),
        ("a\u2028b", "a\\u2028b"),
        ("\ufeffx", "\\ufeffx"),
        ("50 %\r", "50 %\\r"),
        ("\U000e0041", "\\U000e0041"),
    ],
)
def test_characters_that_act_are_shown_as_escapes(raw: str, shown: str):
    assert printable(raw) == shown


@pytest.mark.parametrize(
    "text",
    [
        "a\tb\n",
        "Müller, 数学, ∂x",
        "nbsp\u00a0here",
        "\u0645\u06cc\u200c\u062e\u0648\u0627\u0647\u0645",
        "👩\u200d🔬",
    ],
)
def test_ordinary_text_of_any_script_stays_as_it_is(text: str):
    assert printable(text) == text
    assert not has_hidden_characters(text)


def test_a_windows_line_end_is_one_newline():
    assert printable("a\r\nb") == "a\nb"


def test_a_limit_counts_the_shown_characters_and_marks_the_cut():
    assert printable("\x00" * 10, limit=10) == "\\x00\\x00\\…"
    assert printable("abc", limit=3) == "abc"
    assert printable("abcd", limit=3) == "ab…"


@given(ANY_TEXT)
def test_nothing_printable_returns_can_act(text: str):
    shown = printable(text)
    kept = "\n\t\u200c\u200d"
    assert all(c.isprintable() or c in kept or unicodedata.category(c) == "Zs" for c in shown)
    shown.encode("utf-8")


@given(ANY_TEXT, st.integers(0, 80))
def test_limits_hold_for_any_text(text: str, limit: int):
    assert len(printable(text, limit=limit)) <= limit
    assert len(one_line(text, limit)) <= limit
    assert len(head_and_tail(text, limit)) <= limit


@given(ANY_TEXT)
def test_one_line_is_one_line(text: str):
    assert len(one_line(text).splitlines()) <= 1


def test_a_megabyte_line_is_cut_without_reading_it_all():
    shown = one_line("x" * 10_000_000, 50)
    assert shown == "x" * 49 + "…"


def test_head_and_tail_keep_whole_lines_and_say_how_much_is_missing():
    text = "".join(f"line {number}\n" for number in range(1000))
    shown = head_and_tail(text, 300)
    head, marker, tail = shown.partition("\n… ")
    assert head.splitlines() == [f"line {number}" for number in range(len(head.splitlines()))]
    missing = int(tail.split(" ")[0].replace(",", ""))
    kept_tail = tail.split("…\n", 1)[1]
    assert marker
    assert text.endswith(kept_tail)
    assert len(head) + missing + len(kept_tail) == len(text)


@pytest.mark.parametrize(
    "text", ["=1+1", "+cmd|' /C calc'!A0", "-2+3", "@SUM(A1)", "\t=1", " =1", "\uff1d1", "\n=1"]
)
def test_a_formula_in_a_csv_cell_is_defused(text: str):
    assert csv_cell(text).startswith("'")


@pytest.mark.parametrize("text", ["-3.5", "+2", "1e-3", "7/2", "plain", "a=b", ""])
def test_numbers_and_words_in_a_csv_cell_stay_as_they_are(text: str):
    assert csv_cell(text) == text


def test_the_closest_word_is_proposed_and_a_far_one_is_not():
    assert did_you_mean("lessn", ["lesson", "limits"]) == "Did you mean 'lesson'?"
    assert did_you_mean("xyzzy", ["lesson", "limits"]) == ""


def test_a_long_listing_counts_what_it_does_not_name():
    assert listing(list(string.ascii_lowercase), at_most=2) == "a, b and 24 more"
    assert listing(["\x1b[2J"]) == "\\x1b[2J"
