from __future__ import annotations

import threading
import time
from datetime import UTC, datetime, timedelta
from pathlib import Path
from uuid import uuid4

import pytest
from sqlalchemy import func, select, text
from sqlalchemy.exc import IntegrityError

from grader.db.database import Database, missing_file
from grader.db.models import Course, StoredFile, SubmissionFile
from grader.db.statements import insert_if_absent
from grader.domain.errors import ConfigurationInvalid
from tests.storage import open_database

NOW = datetime(2026, 11, 30, 12, 0, tzinfo=UTC)


def course(slug: str = "jax") -> Course:
    return Course(slug=slug, title="JAX", timezone="UTC", created_at=NOW)


def count(database: Database) -> int:
    with database.reading() as session:
        return session.scalars(select(func.count()).select_from(Course)).one()


def test_what_is_written_is_there_for_the_next_reader(database: Database) -> None:
    with database.writing() as session:
        session.add(course())
    assert count(database) == 1


def test_a_block_that_fails_leaves_nothing(database: Database) -> None:
    def fail() -> None:
        with database.writing() as session:
            session.add(course())
            session.flush()
            raise LookupError

    with pytest.raises(LookupError):
        fail()
    assert count(database) == 0


def test_a_reading_session_changes_nothing(database: Database) -> None:
    with database.reading() as session:
        session.add(course())
        session.flush()
    assert count(database) == 0


def test_what_is_written_meanwhile_does_not_reach_a_reader(database: Database) -> None:
    with database.reading() as session:
        before = session.scalars(select(func.count()).select_from(Course)).one()
        with database.writing() as other:
            other.add(course())
        assert session.scalars(select(func.count()).select_from(Course)).one() == before == 0
    assert count(database) == 1


def test_writers_see_what_others_wrote_meanwhile_where_they_do_not_wait_for_each_other(
    database: Database,
) -> None:
    """On one connection after the other: what a reader asked for does not stick to it."""
    assert count(database) == 0
    if database.is_sqlite:
        pytest.skip("SQLite has one writer at a time")
    with database.writing() as session:
        assert session.scalars(select(func.count()).select_from(Course)).one() == 0
        with database.writing() as other:
            other.add(course())
        assert session.scalars(select(func.count()).select_from(Course)).one() == 1


def test_a_reference_to_nothing_is_refused(database: Database) -> None:
    with pytest.raises(IntegrityError), database.writing() as session:
        session.add(SubmissionFile(submission_id=uuid4(), position=0, name="a.py", sha256="0" * 64))


def test_inserting_what_is_there_already_is_no_error(database: Database) -> None:
    row = {"sha256": "a" * 64, "size": 1, "data": b"x", "created_at": NOW}
    for _ in range(2):
        with database.writing() as session:
            insert_if_absent(session, StoredFile, [row])
            insert_if_absent(session, StoredFile, [])
    with database.reading() as session:
        assert session.scalars(select(func.count()).select_from(StoredFile)).one() == 1


def test_a_sqlite_writer_waits_for_another_instead_of_failing() -> None:
    with open_database("sqlite") as database:
        holds, order = threading.Event(), []

        def slow() -> None:
            with database.writing() as session:
                session.add(course("slow"))
                session.flush()
                holds.set()
                time.sleep(0.3)
                order.append("slow")

        thread = threading.Thread(target=slow)
        thread.start()
        holds.wait()
        # Reads first and writes later: without BEGIN IMMEDIATE this would fail at once.
        with database.writing() as session:
            assert session.scalars(select(func.count()).select_from(Course)).one() == 1
            session.add(course("quick"))
            order.append("quick")
        thread.join()
        assert order == ["slow", "quick"]


def test_a_sqlite_reader_does_not_wait_for_a_writer() -> None:
    with open_database("sqlite") as database, database.writing() as session:
        session.add(course())
        session.flush()
        assert count(database) == 0  # if it waited for us, who wait for it, it would give up with an error


def test_sqlite_keeps_what_it_acknowledged_through_a_power_cut() -> None:
    with open_database("sqlite") as database, database.reading() as session:
        pragmas = {name: session.scalar(text(f"PRAGMA {name}")) for name in ("journal_mode", "synchronous")}
    assert pragmas == {"journal_mode": "wal", "synchronous": 2}


def test_the_clock_is_aware_and_can_be_set(database: Database) -> None:
    with database.reading() as session:
        found = database.now(session)
    assert found.utcoffset() == timedelta(0)
    assert abs(found - datetime.now(UTC)) < timedelta(minutes=1)
    still = Database(database.engine.url.render_as_string(hide_password=False), clock=lambda: NOW)
    with still.reading() as session:
        assert still.now(session) == NOW
    still.close()


@pytest.mark.parametrize(
    "url, says",
    [
        ("nonsense", "not a database URL"),
        ("mysql://somewhere/else", "mysql is not supported"),
        ("sqlite://", "must be a file"),
        ("sqlite:///:memory:", "must be a file"),
    ],
)
def test_a_url_that_cannot_be_used_is_explained(url: str, says: str) -> None:
    with pytest.raises(ConfigurationInvalid, match=says) as caught:
        Database(url)
    assert caught.value.setting == "GRADER_DATABASE_URL"
    assert caught.value.remedy


def test_a_missing_sqlite_file_is_named_and_not_made(tmp_path: Path) -> None:
    file = tmp_path / "grader.db"
    assert missing_file(f"sqlite:///{file}") == file
    assert not file.exists()


def test_a_file_that_is_there_and_a_server_are_not_missing(tmp_path: Path) -> None:
    (tmp_path / "grader.db").touch()
    assert missing_file(f"sqlite:///{tmp_path / 'grader.db'}") is None
    assert missing_file("postgresql://user@localhost/grader") is None
