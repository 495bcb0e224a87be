from __future__ import annotations

from datetime import UTC, datetime, timedelta, timezone
from fractions import Fraction
from typing import Any
from uuid import uuid4

import pytest
from hypothesis import given
from hypothesis import strategies as st
from sqlalchemy import text
from sqlalchemy.exc import DBAPIError, StatementError

from grader.db.database import Database
from grader.db.models import AuditEvent, Course, User
from grader.db.types import ExactPoints, JsonText
from tests.storage import KINDS, open_database

NOON = datetime(2026, 11, 30, 12, 0, tzinfo=UTC)


def add_event(database: Database, data: dict[str, Any]) -> dict[str, Any]:
    """Store data, and read it back in another session."""
    event = AuditEvent(at=NOON, action="test", subject_kind="test", subject_id=uuid4(), data=data)
    with database.writing() as session:
        session.add(event)
    with database.reading() as session:
        return session.get_one(AuditEvent, event.id).data


def add_course(database: Database, created_at: datetime) -> datetime:
    course = Course(slug=str(uuid4()), title="JAX", timezone="UTC", created_at=created_at)
    with database.writing() as session:
        session.add(course)
    with database.reading() as session:
        return session.get_one(Course, course.id).created_at


def test_a_naive_datetime_is_refused(database: Database) -> None:
    with pytest.raises(StatementError, match="naive datetime"):
        add_course(database, datetime(2026, 11, 30, 12, 0))  # noqa: DTZ001 - the point


def test_a_time_comes_back_as_the_same_moment_in_utc(database: Database) -> None:
    in_zurich = NOON.astimezone(timezone(timedelta(hours=1)))
    found = add_course(database, in_zurich + timedelta(microseconds=1))
    assert found == NOON + timedelta(microseconds=1)
    assert found.utcoffset() == timedelta(0)


@given(st.fractions())
def test_points_are_exact(points: Fraction) -> None:
    column, dialect = ExactPoints(), None
    stored = column.process_bind_param(points, dialect)  # type: ignore[arg-type]
    assert column.result_processor(dialect, None)(stored) == points  # type: ignore[arg-type]


def test_points_are_text_that_sql_shows_as_a_fraction() -> None:
    assert ExactPoints().process_bind_param(Fraction(7, 2), None) == "7/2"  # type: ignore[arg-type]
    assert ExactPoints().process_bind_param(4, None) == "4"  # type: ignore[arg-type]


@pytest.mark.parametrize(
    "value",
    [
        "nul \x00 in it",
        "a lone surrogate \udc80",
        "\u202e reversed",
        -0.0,
        1e308,
        2**70,
        ["ü", None, True],
        {},
    ],
)
def test_json_comes_back_as_it_went(database: Database, value: object) -> None:
    found = add_event(database, {"value": value})["value"]
    assert found == value
    assert repr(found) == repr(value)


@pytest.mark.parametrize("value", [float("nan"), float("inf")])
def test_a_number_that_is_not_json_is_refused(value: float) -> None:
    with pytest.raises(ValueError, match="JSON"):
        JsonText().process_bind_param({"value": value}, None)  # type: ignore[arg-type]


@pytest.mark.parametrize("kind", KINDS)
def test_the_database_itself_refuses_a_value_outside_of_a_closed_set(kind: str) -> None:
    with open_database(kind) as database:
        course = Course(slug="jax", title="JAX", timezone="UTC", created_at=NOON)
        person = User(login="ada", name="Ada", created_at=NOON)
        with database.writing() as session:
            session.add_all([course, person])
        values = {"course": str(course.id), "person": str(person.id)}
        if database.is_sqlite:
            values = {key: value.replace("-", "") for key, value in values.items()}
        statement = text(
            "INSERT INTO membership (course_id, user_id, role, created_at)"
            " VALUES (:course, :person, 'janitor', '2026-11-30 12:00:00')"
        )
        with pytest.raises(DBAPIError, match="ck_membership_role"), database.writing() as session:
            session.execute(statement, values)
