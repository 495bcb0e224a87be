"""Alembic's entry point: runs the revisions inside the transaction that `grader.db.migrate` has opened."""

from typing import Literal

from alembic import context
from alembic.autogenerate.api import AutogenContext
from sqlalchemy.types import TypeDecorator

from grader.db.models import Base


def render_plain_types(kind: str, item: object, _autogen: AutogenContext) -> str | Literal[False]:
    """Write our own types as what the database stores: a revision must not change when our code does."""
    if kind == "type" and isinstance(item, TypeDecorator) and type(item).__module__ == "grader.db.types":
        return f"sa.{item.impl!r}"
    return False


context.configure(
    connection=context.config.attributes["connection"],
    target_metadata=Base.metadata,
    compare_server_default=True,
    render_item=render_plain_types,
)
context.run_migrations()
