"""Changing what two people may have open at once: whoever writes says which version they saw."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from sqlalchemy import ColumnElement, select, update
from sqlalchemy.orm import Session

from grader.db.base import Base
from grader.db.statements import changed_rows
from grader.domain.errors import EditConflict


def change(
    session: Session,
    table: type[Base],
    row: ColumnElement[bool],
    *,
    what: str,
    seen: int,
    values: Mapping[str, Any],
) -> int:
    """Change the one row if its `version` is still the one seen, and return the new version.

    EditConflict names `what` was changed by somebody else meanwhile; nothing is written then.
    """
    version = table.__table__.c.version
    changed = session.execute(
        update(table).where(row, version == seen).values(version=seen + 1, **values),
        execution_options={"synchronize_session": False},
    )
    if changed_rows(changed) != 1:
        current = session.scalar(select(version).where(row))
        raise EditConflict(what, seen=seen, current=0 if current is None else current)
    return seen + 1
