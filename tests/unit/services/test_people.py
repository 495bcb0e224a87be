from __future__ import annotations

import threading

import pytest
from sqlalchemy import func, select

from grader.db import models
from grader.db.database import Database
from grader.domain.errors import ConfigurationInvalid, NotFound
from grader.domain.people import Role
from grader.services.people import enrol, ensure_course, ensure_person, find_course, role_in


def test_a_course_is_made_once(database: Database) -> None:
    first = ensure_course(database, slug="jax", title="JAX", timezone="Europe/Zurich")
    again = ensure_course(database, slug="jax", title="Another title")
    assert again == first
    assert find_course(database, "jax") == first


def test_a_person_is_made_once_and_called_by_login_without_a_name(database: Database) -> None:
    first = ensure_person(database, login="ada")
    assert first.name == "ada"
    assert ensure_person(database, login="ada", name="Ada") == first


def test_several_nodes_may_make_the_same_course_and_person_at_once(database: Database) -> None:
    found = []

    def work() -> None:
        found.append((ensure_course(database, slug="jax", title="JAX"), ensure_person(database, login="ada")))

    threads = [threading.Thread(target=work) for _ in range(6)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(found) == 6
    assert len(set(found)) == 1
    with database.reading() as session:
        assert session.scalars(select(func.count()).select_from(models.AuditEvent)).one() == 1


def test_a_member_has_the_role_given_last(database: Database) -> None:
    course, ada = ensure_course(database, slug="jax", title="JAX"), ensure_person(database, login="ada")
    with database.reading() as session:
        assert role_in(session, course_id=course.id, user_id=ada.id) is None
    for role in (Role.STUDENT, Role.TA):
        enrol(database, course_id=course.id, user_id=ada.id, role=role)
        with database.reading() as session:
            assert role_in(session, course_id=course.id, user_id=ada.id) is role
    assert Role.TA.staff
    assert not Role.STUDENT.staff


def test_a_time_zone_that_does_not_exist_is_refused(database: Database) -> None:
    with pytest.raises(ConfigurationInvalid, match="Europe/Zurich"):
        ensure_course(database, slug="jax", title="JAX", timezone="Mars/Olympus")


def test_a_course_that_does_not_exist_is_named(database: Database) -> None:
    with pytest.raises(NotFound, match="'latin'"):
        find_course(database, "latin")
