from __future__ import annotations

import itertools
from dataclasses import replace
from uuid import uuid4

import pytest
from hypothesis import given
from hypothesis import strategies as st

from grader.domain.results import EvidenceKind
from grader.domain.submission import SourceFile, SubmittedFiles
from grader.domain.verdicts import Verdict
from grader.services.reviewing.blind import OPEN, blind_for, mask_for
from grader.services.reviewing.naming import COVER
from tests.builders import a_check, an_attempt, evidence

SECRET = b"a secret of at least 32 characters"
MASK = mask_for(name="Ada King Lovelace", login="aking", email="ada@example.edu", number="18-151-210")


def test_a_reader_calls_a_student_the_same_each_time_and_nobody_else_does() -> None:
    tia, tom, jax, numpy, ada = (uuid4() for _ in range(5))
    one = blind_for(SECRET, reader_id=tia, course_id=jax)
    assert one.pseudonym(ada) == blind_for(SECRET, reader_id=tia, course_id=jax).pseudonym(ada)
    others = [
        blind_for(SECRET, reader_id=tom, course_id=jax),
        blind_for(SECRET, reader_id=tia, course_id=numpy),
        blind_for(b"another secret", reader_id=tia, course_id=jax),
    ]
    assert one.pseudonym(ada) not in {other.pseudonym(ada) for other in others}


def test_five_hundred_students_have_five_hundred_pseudonyms() -> None:
    blind = blind_for(SECRET, reader_id=uuid4(), course_id=uuid4())
    # Thirty bits: two of five hundred share one in about one course of ten thousand.
    assert len({blind.pseudonym(uuid4()) for _ in range(500)}) >= 499


@pytest.mark.parametrize(
    "text",
    [
        "# Ada King Lovelace",
        "by ADA",
        "ada_king_lovelace.py",
        "AdaKingLovelace",
        "Lovelace, King Ada",
        "aking's work",
        "write to Ada@Example.edu!",
        "18-151-210",
        '"lovelace"',
    ],
)
def test_names_are_covered_however_they_are_written(text: str) -> None:
    shown = MASK.text(text).lower()
    assert COVER in shown
    for word in ("ada", "lovelace", "aking", "18-151-210", "example.edu"):
        assert word not in shown


@pytest.mark.parametrize("text", ["jnp.adapt(x)", "baking", "x = making(ada2)", "kingdom"])
def test_words_that_only_contain_a_name_stay(text: str) -> None:
    assert MASK.text(text) == text


def test_words_of_the_language_stay_even_for_somebody_called_so() -> None:
    mask = mask_for(name="Max Import", login="max")
    assert mask.text("import jax; jnp.max(x)  # Max") == f"import jax; jnp.max(x)  # {COVER}"


def test_files_are_called_differently_when_their_names_are_covered() -> None:
    source = SubmittedFiles(
        entry="ada.py",
        files=(SourceFile(name="ada.py", text="import lovelace\n"), SourceFile(name="lovelace.py", text="")),
    )
    shown = MASK.files(source)
    assert [file.name for file in shown.files] == [f"{COVER}.py", f"2-{COVER}.py"]
    assert shown.entry == f"{COVER}.py"
    assert shown.files[0].text == f"import {COVER}\n"
    assert OPEN.files(source) is source


@pytest.mark.parametrize(
    "order", list(itertools.permutations(["ada.py", "lovelace.py", "2-ada.py", "3-king.py"]))
)
def test_no_two_files_are_shown_by_one_name(order: tuple[str, ...]) -> None:
    files = tuple(SourceFile(name=name, text="") for name in order)
    names = MASK.names(SubmittedFiles(entry=order[0], files=files))
    assert len(set(names.values())) == len(order)


@given(
    name=st.from_regex(r"[A-Z][a-z]{3,9} [A-Z][a-z]{4,9}", fullmatch=True),
    login=st.from_regex(r"[a-z]{5}[0-9]{3}", fullmatch=True),
    before=st.text(alphabet="(#'\"/=-., ", max_size=3),
    after=st.text(alphabet=")#'\"/=-., ", max_size=3),
)
def test_no_part_of_a_result_names_its_author(name: str, login: str, before: str, after: str) -> None:
    email, said = f"{login}@example.edu", [name, login, *name.split()]
    text = " ".join(f"{before}{word}{after}" for word in [*said, f"{login}@example.edu"])
    source = SubmittedFiles(entry=f"{login}.py", files=(SourceFile(name=f"{login}.py", text=f"# {text}\n"),))
    check = a_check(
        verdict=Verdict.FAILED,
        code="values.differ",
        params={"function": text, "nested": [text, {"deep": text}]},
        line=1,
        file=f"{login}.py",
        evidence=(evidence(EvidenceKind.OUTPUT, stream="stdout", text=text, bytes=1),),
        flags=(text,),
    )
    result = replace(an_attempt(check), output=text, flags=(text,))
    mask = mask_for(name=name, login=login, email=email)
    shown = mask.result(result, source)
    told = [
        str(mask.files(source)),
        shown.output,
        str(shown.flags),
        str([(item.feedback, item.evidence, item.flags) for item in shown.results]),
    ]
    for word in said:
        assert not any(word in part for part in told if not _of_the_language(word))


def _of_the_language(word: str) -> bool:
    return mask_for(name=word, login=word).text(word) == word
