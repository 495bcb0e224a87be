"""A name is found however its owner writes it, and little else is."""

from __future__ import annotations

import unicodedata

import pytest

from grader.services.reviewing.blind import Mask, mask_for
from grader.services.reviewing.naming import COVER

JOSE = mask_for(name="José Müller-Østby", login="jm4711", email="j.muellerin@example.edu")


@pytest.mark.parametrize("form", ["NFC", "NFD"])
@pytest.mark.parametrize(
    "text",
    [
        "José Müller",
        "Jose Muller",
        "jose_mueller.py",
        "JOSÉ",
        "MÜLLER",
        "ostby",
        "Oestby",
        "Østby",
        "Müller2 ",
    ],
)
def test_accents_and_umlauts_are_written_in_many_ways(text: str, form: str) -> None:
    shown = JOSE.text(unicodedata.normalize(form, f"# é {text} é"))
    assert COVER in shown
    left = unicodedata.normalize("NFKD", shown).lower()
    assert not [part for part in ("jos", "mu", "stby") if part in left]


def test_a_name_without_accents_is_found_with_them() -> None:
    assert mask_for(name="Zoe Nunez", login="zn").text("# Zoë Núñez, übt") == f"# {COVER}, übt"


@pytest.mark.parametrize(
    "text, shown",
    [
        ("class MuellerModel:", f"class {COVER}Model:"),
        ("class MyMullerNet:", f"class My{COVER}Net:"),
        ("JAXMueller", f"JAX{COVER}"),
        ("hw3muller2.py", f"hw3{COVER}2.py"),
        ("j.muellerin wrote", f"{COVER} wrote"),
    ],
)
def test_names_inside_of_longer_names_are_covered(text: str, shown: str) -> None:
    assert JOSE.text(text) == shown


@pytest.mark.parametrize(
    "text", ["mullerian", "formullering", "x = joses", "14711", "grüße — ½ ﬁn 日本\u0301"]
)
def test_what_is_no_name_stays_as_it_is_written(text: str) -> None:
    assert JOSE.text(text) == text


def test_short_names_leave_longer_words_alone() -> None:
    mask = mask_for(name="Ada Li", login="al1", email="a@example.edu")
    assert mask.text("AdaGrad, ada2, a, li, MaxLi") == "AdaGrad, ada2, a, li, MaxLi"


@pytest.mark.parametrize("end", ["\n", "\r\n", "\n# "])
@pytest.mark.parametrize("mask", [JOSE, mask_for(name="Ada Lovelace", login="al1")], ids=["José", "Ada"])
def test_a_name_on_two_lines_stays_on_two(mask: Mask, end: str) -> None:
    shown = mask.text(f"# Ada{end}Lovelace, José{end}Müller")
    assert COVER in shown
    assert shown.count("\n") == 2
