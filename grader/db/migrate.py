"""Bringing a database to the schema this code expects, with Alembic but without an ini file."""

from __future__ import annotations

from pathlib import Path

from alembic import command
from alembic.config import Config
from alembic.runtime.migration import MigrationContext
from alembic.script import ScriptDirectory
from sqlalchemy import Connection, text

from grader.db.database import Database
from grader.domain.errors import ConfigurationInvalid

MIGRATIONS = Path(__file__).parent / "migrations"

_LOCK_KEY = 0x6A61785F67726164
"""Any fixed number will do: PostgreSQL's advisory lock under which only one process migrates at a time."""


def upgrade(url: str, revision: str = "head") -> str:
    """Migrate to `revision` in one transaction and return what was reached. Safe to run twice, or at once."""
    database = Database(url)
    try:
        with database.writing() as session:
            connection = session.connection()
            _wait_for_other_migrations(connection)
            command.upgrade(configuration(connection), revision)
            return str(MigrationContext.configure(connection).get_current_revision())
    finally:
        database.close()


def current_revision(database: Database) -> str | None:
    """The revision a database is at; None before the first upgrade."""
    with database.reading() as session:
        return MigrationContext.configure(session.connection()).get_current_revision()


def newest_revision() -> str:
    """The revision this code expects."""
    return str(ScriptDirectory.from_config(configuration()).get_current_head())


def require_current(database: Database) -> None:
    """Refuse to work on a database with another schema, saying how to mend it."""
    found, wanted = current_revision(database), newest_revision()
    if found != wanted:
        state = "it has no tables yet" if found is None else f"it is at revision {found}, not {wanted}"
        raise ConfigurationInvalid(
            "GRADER_DATABASE_URL", f"the database cannot be used: {state}.", "Run: grader db upgrade"
        )


def configuration(connection: Connection | None = None) -> Config:
    """Alembic's configuration; with a connection, migrations run in its transaction."""
    config = Config()
    config.set_main_option("script_location", str(MIGRATIONS).replace("%", "%%"))
    config.attributes["connection"] = connection
    return config


def _wait_for_other_migrations(connection: Connection) -> None:
    # SQLite's BEGIN IMMEDIATE has already done it.
    if connection.dialect.name == "postgresql":
        connection.execute(text("SELECT pg_advisory_xact_lock(:key)"), {"key": _LOCK_KEY})
