"""What is never changed: the database itself refuses it, whoever asks.

Submissions, published versions and stored files are immutable; the audit record can only grow.

Revision: 0002, after 0001; 2026-11-30
"""

from __future__ import annotations

from alembic import op

revision = "0002"
down_revision = "0001"
branch_labels = None
depends_on = None

IMMUTABLE = (
    "stored_file",
    "submission",
    "submission_file",
    "assignment_version",
    "assignment_version_file",
    "audit_event",
)
APPEND_ONLY = ("audit_event",)


def upgrade() -> None:
    """Bring the schema to this revision."""
    if op.get_context().dialect.name == "postgresql":
        op.execute(
            """
            CREATE FUNCTION refuse_change() RETURNS trigger LANGUAGE plpgsql AS $$
            BEGIN
                RAISE EXCEPTION '% rows are never changed', TG_TABLE_NAME;
            END
            $$
            """
        )
    for table, action in _guarded():
        op.execute(_create(table, action))


def downgrade() -> None:
    """Bring it back to the one before."""
    postgresql = op.get_context().dialect.name == "postgresql"
    for table, action in _guarded():
        op.execute(f"DROP TRIGGER {_name(table, action)}" + (f" ON {table}" if postgresql else ""))
    if postgresql:
        op.execute("DROP FUNCTION refuse_change()")


def _guarded() -> list[tuple[str, str]]:
    return [(table, "UPDATE") for table in IMMUTABLE] + [(table, "DELETE") for table in APPEND_ONLY]


def _name(table: str, action: str) -> str:
    return f"refuse_{action.lower()}_of_{table}"


def _create(table: str, action: str) -> str:
    head = f"CREATE TRIGGER {_name(table, action)} BEFORE {action} ON {table} FOR EACH ROW"
    if op.get_context().dialect.name == "postgresql":
        return f"{head} EXECUTE FUNCTION refuse_change()"
    return f"{head} BEGIN SELECT RAISE(ABORT, '{table} rows are never changed'); END"
