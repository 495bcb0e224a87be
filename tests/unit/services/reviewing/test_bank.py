from __future__ import annotations

import pytest

from grader.domain.errors import EditConflict, InvalidInput, NotAllowed, NotFound
from grader.domain.people import Role
from grader.services.people import enrol, ensure_course
from grader.services.reviewing import bank
from grader.services.reviewing.bank import BankEntry
from tests.reviews import ReviewedCourse


def keep(school: ReviewedCourse, title: str, *, code: str | None = None) -> BankEntry:
    return bank.keep(
        school.database, actor=school.tia, course="jax", title=title, text=f"About {title}.", code=code
    )


def titles(school: ReviewedCourse, *codes: str) -> list[str]:
    return [
        entry.title
        for entry in bank.bank_of(school.database, actor=school.tom, course="jax", codes=codes).entries
    ]


def test_kept_comments_are_offered_by_title_those_for_the_code_at_hand_first(school: ReviewedCourse) -> None:
    for title, code in (("b keys", "prng.key_reused"), ("a values", "values.differ"), ("c general", None)):
        keep(school, title, code=code)
    assert titles(school) == ["a values", "b keys", "c general"]
    assert titles(school, "prng.key_reused") == ["b keys", "a values", "c general"]


def test_a_kept_comment_is_changed_by_whoever_saw_its_newest_version(school: ReviewedCourse) -> None:
    entry = keep(school, "Keys")
    changed = bank.edit(
        school.database, actor=school.tom, course="jax", entry_id=entry.id, title="Keys!", text="New.", seen=1
    )
    assert (changed.title, changed.text, changed.version) == ("Keys!", "New.", 2)
    with pytest.raises(EditConflict):
        bank.edit(
            school.database, actor=school.tia, course="jax", entry_id=entry.id, title="K", text="Old.", seen=1
        )
    with pytest.raises(EditConflict):
        bank.delete(school.database, actor=school.tia, course="jax", entry_id=entry.id, seen=1)
    bank.delete(school.database, actor=school.tia, course="jax", entry_id=entry.id, seen=2)
    assert titles(school) == []


@pytest.mark.parametrize(
    "title, text, code, field",
    [
        ("", "a", None, "title"),
        ("a" * 121, "a", None, "title"),
        ("a", " ", None, "text"),
        ("a", "a", "prng.keys_reused", "code"),
    ],
)
def test_what_cannot_be_kept_is_refused(
    school: ReviewedCourse, title: str, text: str, code: str | None, field: str
) -> None:
    with pytest.raises(InvalidInput) as refused:
        bank.keep(school.database, actor=school.tia, course="jax", title=title, text=text, code=code)
    assert refused.value.field == field


def test_a_bank_belongs_to_its_course_and_its_staff(school: ReviewedCourse) -> None:
    entry = keep(school, "Keys")
    other = ensure_course(school.database, slug="other", title="Other")
    enrol(school.database, course_id=other.id, user_id=school.ines.user_id, role=Role.INSTRUCTOR)
    assert bank.bank_of(school.database, actor=school.ines, course="other").entries == ()
    with pytest.raises(NotFound):
        bank.delete(school.database, actor=school.ines, course="other", entry_id=entry.id, seen=1)
    with pytest.raises(NotAllowed):
        bank.bank_of(school.database, actor=school.ada, course="jax")
    with pytest.raises(NotFound):
        bank.bank_of(school.database, actor=school.stranger, course="jax")
