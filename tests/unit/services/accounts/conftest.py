from __future__ import annotations

from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from uuid import UUID

import pytest

from grader.db import models
from grader.db.database import Database
from grader.domain.people import Role
from grader.services.access import Actor
from grader.services.accounts.passwords import hash_password
from tests.courses import SampleCourse

PASSWORD = "correct horse battery staple"
HASH = hash_password(PASSWORD)

MakePerson = Callable[..., Actor]


class Clock:
    """Time that passes when it is told to."""

    def __init__(self) -> None:
        self.now = datetime(2026, 11, 30, 12, tzinfo=UTC)

    def __call__(self) -> datetime:
        return self.now

    def forward(self, **span: float) -> None:
        self.now += timedelta(**span)


@pytest.fixture
def clock(database: Database) -> Clock:
    clock = Clock()
    database._clock = clock
    return clock


@pytest.fixture
def person(course: SampleCourse) -> MakePerson:
    """Make a member of the sample course, with an account unless told otherwise."""

    def make(
        login: str, role: Role = Role.STUDENT, *, account: bool = True, may_create_courses: bool = False
    ) -> Actor:
        user_id: UUID = course.enrol(login, role)
        with course.database.writing() as session:
            user = session.get_one(models.User, user_id)
            user.email = f"{login}@example.edu"
            if account:
                session.add(
                    models.Account(user_id=user_id, password_hash=HASH, may_create_courses=may_create_courses)
                )
            return Actor(user_id=user_id, login=login, name=user.name, may_create_courses=may_create_courses)

    return make
