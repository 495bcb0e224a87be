"""Statements that SQLite and PostgreSQL both have, but that SQLAlchemy spells per dialect."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from typing import Any

from sqlalchemy import CursorResult, Result, func, select
from sqlalchemy.dialects import postgresql, sqlite
from sqlalchemy.orm import Session

from grader.db.base import Base


def insert_if_absent(session: Session, table: type[Base], rows: Sequence[Mapping[str, Any]]) -> int:
    """Insert rows whose key is not there yet, and return how many; a key that is there already is no error.

    A row that another transaction is just inserting is waited for.
    """
    if not rows:
        return 0
    dialect = postgresql if session.get_bind().dialect.name == "postgresql" else sqlite
    inserted = session.execute(
        dialect.insert(table).values(list(rows)).on_conflict_do_nothing(),
        execution_options={"preserve_rowcount": True},
    )
    return changed_rows(inserted)


def changed_rows(result: Result[Any]) -> int:
    """How many rows an UPDATE or DELETE matched."""
    if not isinstance(result, CursorResult):
        raise TypeError(f"{type(result).__name__} does not count rows")
    return int(result.rowcount)


def take_turns(session: Session, name: str) -> None:
    """Let only one transaction at a time pass for that name, until it ends.

    For rules over rows that are not there yet, which no row's lock can guard. SQLite's writers take turns
    anyway.
    """
    if session.get_bind().dialect.name == "postgresql":
        key = int.from_bytes(hashlib.sha256(name.encode("utf-8")).digest()[:8], "big", signed=True)
        session.execute(select(func.pg_advisory_xact_lock(key)))
