from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor

import pytest
from sqlalchemy import func, select

from grader.db import models
from grader.db.database import Database
from grader.domain.errors import Conflict, GraderError, InvalidInput, TooManyRequests
from grader.domain.people import Role
from grader.services.access import seats_of
from grader.services.accounts.members import NewPerson
from grader.services.accounts.setup import SetUp, set_up, setup_code, setup_needed
from tests.courses import SECRET, SampleCourse
from tests.unit.services.accounts.conftest import PASSWORD


def first(code: str | None = None, login: str = "ines") -> SetUp:
    person = NewPerson(login=login, name="Ines", email="ines@example.edu", password=PASSWORD)
    return SetUp(code=setup_code(SECRET) if code is None else code, person=person, address="192.0.2.1")


def test_the_first_account_may_create_courses_and_teaches_what_nobody_does(
    database: Database, course: SampleCourse
) -> None:
    assert setup_needed(database)
    user_id = set_up(database, first(), secret=SECRET)
    assert not setup_needed(database)
    with database.reading() as session:
        assert session.get_one(models.Account, user_id).may_create_courses
        (seat,) = seats_of(session, user_id=user_id)
    assert (seat.course_id, seat.role) == (course.course_id, Role.INSTRUCTOR)


def test_the_code_may_be_typed_in_capitals_and_with_blanks(database: Database) -> None:
    set_up(database, first(f" {setup_code(SECRET).upper()} "), secret=SECRET)


@pytest.mark.parametrize(
    "code", ["", "aaaa-aaaa-aaaa-aaaa", setup_code(b"another secret of 32 characters..")]
)
def test_a_stranger_without_the_code_makes_no_account(database: Database, code: str) -> None:
    with pytest.raises(InvalidInput, match="code"):
        set_up(database, first(code), secret=SECRET)
    assert setup_needed(database)


def test_the_code_cannot_be_guessed_at_leisure(database: Database) -> None:
    for _ in range(20):
        with pytest.raises(InvalidInput):
            set_up(database, first("wrong"), secret=SECRET)
    with pytest.raises(TooManyRequests):
        set_up(database, first(), secret=SECRET)


def test_there_is_one_first_account_however_many_press_at_once(database: Database) -> None:
    def press(number: int) -> bool:
        try:
            set_up(database, first(login=f"ines{number}"), secret=SECRET)
        except GraderError:
            return False
        return True

    with ThreadPoolExecutor(4) as pool:
        assert sum(pool.map(press, range(4))) == 1
    with database.reading() as session:
        assert session.scalar(select(func.count()).select_from(models.Account)) == 1


def test_later_the_code_opens_nothing(database: Database) -> None:
    set_up(database, first(), secret=SECRET)
    with pytest.raises(Conflict, match="already"):
        set_up(database, first(login="eve"), secret=SECRET)


def test_whoever_has_handed_in_by_the_command_line_keeps_that_work(
    database: Database, course: SampleCourse
) -> None:
    assert set_up(database, first(login="ada"), secret=SECRET) == course.student_id
