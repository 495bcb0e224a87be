"""Opening a database and the two ways to use it: `reading` and `writing`, each one transaction.

SQLite runs in WAL mode, so readers never wait. A writer takes the write lock when its transaction *begins*
(BEGIN IMMEDIATE): a transaction that reads first and asks for the lock later could be refused it at once,
without the busy timeout being honoured, if another has written in between. PostgreSQL needs none of this:
rows that two writers could want are locked where they are read.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from sqlalchemy import Connection, Engine, create_engine, event, func, make_url, select
from sqlalchemy.engine import URL
from sqlalchemy.exc import ArgumentError
from sqlalchemy.orm import Session

from grader.domain.errors import ConfigurationInvalid

BUSY_TIMEOUT_S = 15.0
"""How long a SQLite writer waits for another before it gives up."""

_WRITER = "grader_writer"


class Database:
    """A database and the one clock that all nodes share. Safe to use from many threads; not across a fork."""

    def __init__(self, url: str, *, clock: Callable[[], datetime] | None = None) -> None:
        self.engine = _create_engine(_parse(url))
        self._writer = self.engine.execution_options(**{_WRITER: True})
        # SQLite's transactions see one state by themselves; PostgreSQL's, by default, one a statement.
        self._reader = (
            self.engine
            if self.is_sqlite
            else self.engine.execution_options(isolation_level="REPEATABLE READ")
        )
        self._clock = clock
        self._writers = threading.Lock()

    @property
    def is_sqlite(self) -> bool:
        return self.engine.dialect.name == "sqlite"

    @contextmanager
    def reading(self) -> Iterator[Session]:
        """A session that sees one consistent state and is rolled back at the end."""
        with Session(self._reader, expire_on_commit=False) as session:
            yield session

    @contextmanager
    def writing(self) -> Iterator[Session]:
        """A session that commits when the block ends well and rolls back when it does not."""
        with self._turn(), Session(self._writer, expire_on_commit=False) as session, session.begin():
            yield session

    def now(self, session: Session) -> datetime:
        """The time that leases, receipts and the queue go by.

        PostgreSQL is asked for its own clock: nodes whose clocks disagree would otherwise take each other's
        leases.
        """
        if self._clock is not None:
            return self._clock()
        if self.is_sqlite:
            return datetime.now(UTC)
        moment: datetime = session.execute(select(func.clock_timestamp())).scalar_one()
        return moment.astimezone(UTC)

    def close(self) -> None:
        """Close every pooled connection."""
        self.engine.dispose()

    @contextmanager
    def _turn(self) -> Iterator[None]:
        """Let this process's SQLite writers take turns.

        SQLite itself lets them sleep and try again, so that under load some wait for seconds while others
        pass.
        """
        if not self.is_sqlite:
            yield
            return
        mine = self._writers.acquire(timeout=BUSY_TIMEOUT_S)
        try:
            yield  # without a turn SQLite decides, and says that the database is locked if it has to
        finally:
            if mine:
                self._writers.release()


def _parse(url: str) -> URL:
    try:
        parsed = make_url(url)
    except ArgumentError as error:
        raise ConfigurationInvalid(
            "GRADER_DATABASE_URL",
            "this is not a database URL.",
            "Write sqlite:////absolute/path.db or postgresql://user@host/name.",
        ) from error
    if parsed.drivername in ("postgres", "postgresql"):
        return parsed.set(drivername="postgresql+psycopg")
    if parsed.drivername not in ("sqlite", "postgresql+psycopg"):
        raise ConfigurationInvalid(
            "GRADER_DATABASE_URL",
            f"{parsed.drivername} is not supported.",
            "Use SQLite (sqlite:///...) or PostgreSQL (postgresql://...).",
        )
    return parsed


def missing_file(url: str) -> Path | None:
    """The file of an SQLite database that is not there: connecting would make an empty one."""
    parsed = _parse(url)
    if parsed.get_backend_name() != "sqlite" or not parsed.database or parsed.database == ":memory:":
        return None
    file = Path(parsed.database)
    return None if file.exists() else file


def make_folder(folder: Path) -> None:
    """Make the folder that a database or a secret is kept in; ConfigurationInvalid if that cannot be."""
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as exc:
        raise ConfigurationInvalid(
            "GRADER_HOME",
            f"the folder {folder} cannot be made: {exc.strerror}.",
            "Name one that you may write to.",
        ) from exc


def _create_engine(url: URL) -> Engine:
    if url.drivername != "sqlite":
        return create_engine(url, pool_pre_ping=True)
    if not url.database or url.database == ":memory:":
        raise ConfigurationInvalid(
            "GRADER_DATABASE_URL", "a SQLite database must be a file.", "Write sqlite:////absolute/path.db."
        )
    make_folder(Path(url.database).expanduser().parent)
    engine = create_engine(url, connect_args={"timeout": BUSY_TIMEOUT_S})
    event.listen(engine, "connect", _prepare_sqlite)
    event.listen(engine, "begin", _begin_sqlite)
    return engine


def _prepare_sqlite(connection: Any, _record: object) -> None:  # noqa: ANN401 - a driver's connection
    # The driver must not begin transactions by its own rules: _begin_sqlite does.
    connection.isolation_level = None
    cursor = connection.cursor()
    cursor.execute("PRAGMA journal_mode=WAL")
    # In WAL mode NORMAL keeps the file consistent; FULL also keeps the last commits through a power cut.
    # A receipt promises that a submission is stored, so it has to be FULL.
    cursor.execute("PRAGMA synchronous=FULL")
    cursor.execute("PRAGMA foreign_keys=ON")
    cursor.close()


def _begin_sqlite(connection: Connection) -> None:
    writer = connection.get_execution_options().get(_WRITER, False)
    connection.exec_driver_sql("BEGIN IMMEDIATE" if writer else "BEGIN")
