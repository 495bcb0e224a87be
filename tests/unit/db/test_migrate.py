from __future__ import annotations

import threading
from datetime import UTC, datetime
from uuid import uuid4

import pytest
from alembic import command
from alembic.autogenerate import compare_metadata
from alembic.runtime.migration import MigrationContext
from sqlalchemy import inspect, text
from sqlalchemy.exc import DBAPIError

from grader.db.database import Database
from grader.db.migrate import configuration, current_revision, newest_revision, require_current, upgrade
from grader.db.models import AuditEvent, Base, StoredFile
from grader.domain.errors import ConfigurationInvalid
from tests.storage import KINDS, open_database

NOW = datetime(2026, 11, 30, 12, 0, tzinfo=UTC)


def url_of(database: Database) -> str:
    return database.engine.url.render_as_string(hide_password=False)


def shape(database: Database) -> dict[str, object]:
    """Tables with everything the inspector can tell about them."""
    inspector = inspect(database.engine)
    tables = set(inspector.get_table_names()) - {"alembic_version"}
    return {
        table: {
            "columns": {
                column["name"]: (str(column["type"]), column["nullable"])
                for column in inspector.get_columns(table)
            },
            "primary key": inspector.get_pk_constraint(table),
            "foreign keys": sorted(map(str, inspector.get_foreign_keys(table))),
            "checks": sorted(map(str, inspector.get_check_constraints(table))),
            "unique": sorted(map(str, inspector.get_unique_constraints(table))),
            "indexes": sorted(map(str, inspector.get_indexes(table))),
        }
        for table in tables
    }


def test_migrating_gives_exactly_the_schema_of_the_models(empty_database: Database) -> None:
    Base.metadata.create_all(empty_database.engine)
    kind = "sqlite" if empty_database.is_sqlite else "postgresql"
    with open_database(kind) as migrated:
        assert shape(migrated) == shape(empty_database)
        with migrated.reading() as session:
            assert compare_metadata(MigrationContext.configure(session.connection()), Base.metadata) == []


def test_migrating_twice_changes_nothing(empty_database: Database) -> None:
    assert upgrade(url_of(empty_database)) == newest_revision()
    assert upgrade(url_of(empty_database)) == newest_revision()
    assert current_revision(empty_database) == newest_revision()


def test_several_nodes_may_migrate_at_once(empty_database: Database) -> None:
    reached: list[str] = []
    threads = [
        threading.Thread(target=lambda: reached.append(upgrade(url_of(empty_database)))) for _ in range(4)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert reached == [newest_revision()] * 4


def test_what_an_earlier_revision_stored_is_kept(empty_database: Database) -> None:
    assert upgrade(url_of(empty_database), "0001") == "0001"
    with empty_database.writing() as session:
        session.add(StoredFile(sha256="0" * 64, size=1, data=b"a", created_at=NOW))
    upgrade(url_of(empty_database))
    with empty_database.reading() as session:
        assert session.get_one(StoredFile, "0" * 64).data == b"a"


def test_every_revision_can_be_taken_back(database: Database) -> None:
    with database.writing() as session:
        command.downgrade(configuration(session.connection()), "base")
    assert shape(database) == {}
    assert upgrade(url_of(database)) == newest_revision()


def test_a_database_without_tables_is_refused_with_the_command_that_helps(empty_database: Database) -> None:
    with pytest.raises(ConfigurationInvalid, match=r"no tables yet.*grader db upgrade"):
        require_current(empty_database)


def test_a_database_at_another_revision_is_refused(database: Database) -> None:
    require_current(database)
    with database.writing() as session:
        session.execute(text("UPDATE alembic_version SET version_num = '0000'"))
    with pytest.raises(ConfigurationInvalid, match="at revision 0000"):
        require_current(database)


@pytest.mark.parametrize("statement", ["UPDATE audit_event SET action = 'other'", "DELETE FROM audit_event"])
@pytest.mark.parametrize("kind", KINDS)
def test_the_audit_record_can_only_grow(kind: str, statement: str) -> None:
    with open_database(kind) as database:
        with database.writing() as session:
            session.add(AuditEvent(at=NOW, action="a", subject_kind="x", subject_id=uuid4(), data={}))
        with (
            pytest.raises(DBAPIError, match="audit_event rows are never changed"),
            database.writing() as session,
        ):
            session.execute(text(statement))


def test_a_stored_file_cannot_be_changed(database: Database) -> None:
    with database.writing() as session:
        session.add(StoredFile(sha256="0" * 64, size=1, data=b"a", created_at=NOW))
    with pytest.raises(DBAPIError, match="stored_file rows are never changed"), database.writing() as session:
        session.execute(text("UPDATE stored_file SET size = 2"))
