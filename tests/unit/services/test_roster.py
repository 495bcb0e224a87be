from __future__ import annotations

import codecs
from uuid import UUID

import pytest

from grader.content.rosters import Field
from grader.db import models
from grader.domain.errors import Conflict, EditConflict, InvalidInput, NotAllowed, NotFound
from grader.domain.people import Role
from grader.services.people import enrol, ensure_course, ensure_person
from grader.services.roster.changes import ChangeKind, Difference
from grader.services.roster.importing import Imported, import_roster
from grader.services.roster.members import Entry, Member, change_member, members, remove_member
from grader.services.roster.previewing import RosterPreview, preview_roster
from tests.reviews import ReviewedCourse

PLAIN = "login,email,name\nada,ada@x.org,Ada\ncarl,carl@x.org,Carl Gauss\n"


class Registrar:
    """Imports rosters as Ines."""

    def __init__(self, review: ReviewedCourse) -> None:
        self.review, self.database = review, review.database

    def preview(self, text: str | bytes) -> RosterPreview:
        return preview_roster(self.database, actor=self.review.ines, course="jax", data=_bytes(text))

    def apply(self, text: str | bytes, *, fingerprint: str | None = None, remove: bool = False) -> Imported:
        return import_roster(
            self.database,
            actor=self.review.ines,
            course="jax",
            data=_bytes(text),
            fingerprint=fingerprint or self.preview(text).fingerprint,
            remove_missing=remove,
        )

    def member(self, login: str) -> Member:
        found = members(self.database, actor=self.review.tia, course="jax")
        return next(item for item in found if item.login == login)

    def versions(self) -> dict[str, int]:
        """What an edit of each member has to name."""
        found = members(self.database, actor=self.review.tia, course="jax")
        return {item.login: item.version for item in found}

    def logins(self) -> set[str]:
        return {item.login for item in members(self.database, actor=self.review.tia, course="jax")}


def _bytes(text: str | bytes) -> bytes:
    return text.encode() if isinstance(text, str) else text


@pytest.fixture
def registrar(review: ReviewedCourse) -> Registrar:
    return Registrar(review)


def test_a_preview_says_what_will_change_and_writes_nothing(registrar: Registrar) -> None:
    preview = registrar.preview(PLAIN)
    [new], [changed] = preview.of_kind(ChangeKind.NEW), preview.of_kind(ChangeKind.CHANGED)
    assert (new.after.login, new.after.name, new.after.role) == ("carl", "Carl Gauss", Role.STUDENT)
    assert changed.differences == (Difference(field=Field.EMAIL, old="", new="ada@x.org"),)
    assert [member.login for member in preview.missing] == ["ben"]
    assert registrar.logins() == {"ada", "ben", "tia", "tom", "ines"}


def test_what_was_shown_is_what_is_done(registrar: Registrar) -> None:
    assert registrar.apply(PLAIN) == Imported(added=1, changed=1, removed=0)
    assert registrar.member("carl").email == "carl@x.org"
    again = registrar.preview(PLAIN)
    assert {change.kind for change in again.changes} == {ChangeKind.UNCHANGED}


def test_a_preview_of_another_state_is_not_applied(registrar: Registrar) -> None:
    fingerprint = registrar.preview(PLAIN).fingerprint
    registrar.apply("login,section\nben,Tuesday\n")
    with pytest.raises(Conflict, match="have changed since"):
        registrar.apply(PLAIN, fingerprint=fingerprint)
    with pytest.raises(Conflict):
        registrar.apply(PLAIN + "dora,d@x.org,Dora\n", fingerprint=registrar.preview(PLAIN).fingerprint)


def test_nobody_is_removed_unless_that_is_asked_for_and_staff_never(registrar: Registrar) -> None:
    registrar.apply(PLAIN)
    assert "ben" in registrar.logins()
    assert registrar.apply(PLAIN, remove=True).removed == 1
    assert registrar.logins() == {"ada", "carl", "tia", "tom", "ines"}


@pytest.mark.parametrize(
    "data",
    [
        codecs.BOM_UTF8 + "login;name\ncarl;Carl Gauß\n".encode(),
        "login\tname\r\ncarl\tCarl Gauß\r\n".encode("utf-16"),
        "login,name\ncarl,Carl Gauß\n".encode("cp1252"),
        "sep=;\r\nlogin;name\r\ncarl;Carl Gauß\r\n".encode(),
        "Username,First name,Surname\ncarl,Carl,Gauß\n".encode(),
        'SIS Login ID,Student\ncarl,"Gauß, Carl"\n'.encode(),
        "login,name\r\r\n\x00carl,Carl Gauß\n".encode(),
    ],
    ids=["BOM and semicolons", "UTF-16", "cp1252", "sep=", "first and last", "sorted by last", "NUL"],
)
def test_files_are_read_as_programs_write_them(registrar: Registrar, data: bytes) -> None:
    [change] = registrar.preview(data).of_kind(ChangeKind.NEW)
    assert (change.after.login, change.after.name) == ("carl", "Carl Gauß")


CANVAS = """\
Student,ID,SIS User ID,SIS Login ID,Section,Doubling (4711),Current Score
    ,,,,,Manual Posting,
    Points Possible,,,,,5,(read only)
"Gauss, Carl",17,s-17,carl,Monday,3,60
"Student, Test",99,,abcdef,Monday,,
"""
MOODLE = """\
First name,Last name,ID number,Institution,Email address,Assignment: Doubling (Real)
Carl,Gauss,s-17,,carl@x.org,-
"""


def test_canvass_own_export_is_a_roster(registrar: Registrar) -> None:
    preview = registrar.preview(CANVAS)
    [change] = preview.changes
    assert (change.after.login, change.after.name) == ("carl", "Carl Gauss")
    assert (change.after.student_number, change.after.section) == ("s-17", "Monday")
    assert preview.problems == ()
    assert "Doubling (4711)" in preview.ignored


def test_moodles_own_export_is_a_roster_and_meets_those_who_are_there(registrar: Registrar) -> None:
    [change] = registrar.preview(MOODLE).changes
    assert (change.after.login, change.after.email) == ("carl@x.org", "carl@x.org")
    registrar.apply("login,email\ncarl,carl@x.org\n")
    [change] = registrar.preview(MOODLE).changes
    assert (change.after.login, change.after.student_number) == ("carl", "s-17")


@pytest.mark.parametrize(
    "line, says",
    [
        ("x y,x@x.org,X", "cannot be a login"),
        ("<b>,x@x.org,X", "cannot be a login"),
        ("xaver,nowhere,X", "is no email address"),
        (",,X", "does not say who"),
        ("ADA,ada@x.org,Ada again", "on line 2 already"),
        ("evil,,\u202egnp.exe", "cannot be seen"),
        (f"xaver,,{'x' * 300}", "300 characters"),
    ],
)
def test_a_line_that_cannot_be_used_is_named_and_left_out(registrar: Registrar, line: str, says: str) -> None:
    preview = registrar.preview(f"{PLAIN}{line}\n")
    [problem] = preview.problems
    assert problem.line == 4
    assert says in problem.says
    assert len(preview.changes) == 2


@pytest.mark.parametrize("text", ["", "\n\n", "colour,shape\nred,round\n", "PK\x03\x04\x00\x80"])
def test_a_file_that_names_nobody_is_refused(registrar: Registrar, text: str) -> None:
    with pytest.raises(InvalidInput):
        registrar.preview(text.encode("latin-1"))


def test_student_numbers_may_be_exchanged(registrar: Registrar) -> None:
    registrar.apply("login,student number\nada,1\nben,2\n")
    registrar.apply("login,student number\nada,2\nben,1\n")
    assert (registrar.member("ada").student_number, registrar.member("ben").student_number) == ("2", "1")


def test_a_number_that_another_member_keeps_is_a_problem(registrar: Registrar) -> None:
    registrar.apply("login,student number\nada,1\nben,2\n")
    preview = registrar.preview("login,student number\nada,2\ncarl,1\n")
    assert [problem.says for problem in preview.problems] == [
        "the student number 2 is ben's.",
        "the student number 1 is ada's.",
    ]
    assert preview.changes == ()


def test_an_address_that_another_person_has_is_a_problem_wherever_they_are(registrar: Registrar) -> None:
    _somebody_elsewhere(registrar, "erik", email="Erik@x.org")
    registrar.apply("login,email\nada,ada@x.org\n")
    preview = registrar.preview("login,email\ncarl,erik@x.org\nben,ADA@x.org\ndora,d@x.org\nemil,D@x.org\n")
    assert [(problem.line, problem.says.split(" is ")[0]) for problem in preview.problems] == [
        (2, "erik@x.org"),
        (3, "ADA@x.org"),
        (5, "D@x.org"),
    ]
    assert [change.after.login for change in preview.changes] == ["dora"]


def test_addresses_may_be_exchanged(registrar: Registrar) -> None:
    registrar.apply("login,email\nada,a@x.org\nben,b@x.org\n")
    registrar.apply("login,email\nada,b@x.org\nben,a@x.org\n")
    assert (registrar.member("ada").email, registrar.member("ben").email) == ("b@x.org", "a@x.org")


def test_nobody_renames_whom_another_course_vouches_for(registrar: Registrar) -> None:
    """Single sign-on would let in whoever has the address that a file gave them."""
    course_id, user_id = _somebody_elsewhere(registrar, "erik", email=None)
    data = "login,email,name\nerik,mallory@x.org,Mallory\n"
    for _ in range(2):
        registrar.apply(data)
        found = registrar.member("erik")
        assert (found.name, found.email) == ("erik", None)
    enrol(
        registrar.database, course_id=course_id, user_id=registrar.review.ines.user_id, role=Role.INSTRUCTOR
    )
    registrar.apply(data)
    assert (registrar.member("erik").name, registrar.member("erik").email) == ("Mallory", "mallory@x.org")
    assert user_id == registrar.member("erik").user_id


def _somebody_elsewhere(registrar: Registrar, login: str, *, email: str | None) -> tuple[UUID, UUID]:
    """A TA of another course who has never logged in; the ids of course and person."""
    other = ensure_course(registrar.database, slug="other", title="Other")
    person = ensure_person(registrar.database, login=login, name=login)
    enrol(registrar.database, course_id=other.id, user_id=person.id, role=Role.TA)
    with registrar.database.writing() as session:
        session.get_one(models.User, person.id).email = email
    return other.id, person.id


def test_nobody_changes_their_own_role_by_a_file(registrar: Registrar) -> None:
    preview = registrar.preview("login,role\nines,student\nada,ta\n")
    [problem] = preview.problems
    assert "your own role" in problem.says
    assert [change.after.role for change in preview.changes] == [Role.TA]


def test_only_instructors_import_and_only_staff_read(registrar: Registrar) -> None:
    review = registrar.review
    for actor, error in ((review.tia, NotAllowed), (review.ada, NotAllowed), (review.stranger, NotFound)):
        with pytest.raises(error):
            preview_roster(review.database, actor=actor, course="jax", data=PLAIN.encode())
    with pytest.raises(NotAllowed):
        members(review.database, actor=review.ada, course="jax")


def test_a_member_is_changed_and_removed_by_hand(registrar: Registrar) -> None:
    review = registrar.review
    changed = change_member(
        review.database,
        actor=review.ines,
        course="jax",
        login="ada",
        seen=1,
        wanted=Entry(role=Role.TA, student_number=" 7 ", section="", extra_days=3),
    )
    assert (changed.role, changed.student_number, changed.section, changed.extra_days) == (
        Role.TA, "7", None, 3,
    )  # fmt: skip
    assert changed.version == 2
    remove_member(review.database, actor=review.ines, course="jax", login="ada")
    assert "ada" not in registrar.logins()
    with pytest.raises(NotAllowed, match="yourself"):
        remove_member(review.database, actor=review.ines, course="jax", login="ines")


def test_of_two_who_edit_one_member_at_once_the_second_is_told(registrar: Registrar) -> None:
    def edit(section: str, *, seen: int) -> Member:
        return change_member(
            registrar.database,
            actor=registrar.review.ines,
            course="jax",
            login="ada",
            seen=seen,
            wanted=Entry(role=Role.STUDENT, section=section, student_number="7"),
        )

    edit("Monday", seen=1)
    with pytest.raises(EditConflict, match=r"What the roster says of ada was changed since you opened it"):
        edit("Friday", seen=1)
    assert (registrar.member("ada").section, registrar.member("ada").version) == ("Monday", 2)
    assert edit("Friday", seen=2).section == "Friday"


def test_an_import_counts_as_an_edit_of_those_whom_it_changes(registrar: Registrar) -> None:
    before = registrar.versions()
    registrar.apply("login,section\nada,Monday\nnew-one,Monday\n")
    assert registrar.versions() == {**before, "ada": before["ada"] + 1, "new-one": 1}


def test_what_a_removed_member_handed_in_is_theirs_again_when_they_come_back(registrar: Registrar) -> None:
    registrar.review.submit()
    remove_member(registrar.database, actor=registrar.review.ines, course="jax", login="ada")
    registrar.apply("login\nada\n")
    assert registrar.review.course.submit().number == 2
