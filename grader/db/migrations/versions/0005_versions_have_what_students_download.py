"""Of a version there may be a bundle: what students download to run its visible checks themselves.

It follows from the version and from the libraries that it was made with, so it may be made anew.

Revision: 0005, after 0004; 2026-11-30
"""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0005"
down_revision = "0004"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Bring the schema to this revision."""
    op.create_table(
        "assignment_version_bundle",
        sa.Column("version_id", sa.Uuid(), nullable=False),
        sa.Column("sha256", sa.String(length=64), nullable=False),
        sa.ForeignKeyConstraint(
            ["sha256"], ["stored_file.sha256"], name=op.f("fk_assignment_version_bundle_sha256_stored_file")
        ),
        sa.ForeignKeyConstraint(
            ["version_id"],
            ["assignment_version.id"],
            name=op.f("fk_assignment_version_bundle_version_id_assignment_version"),
        ),
        sa.PrimaryKeyConstraint("version_id", name=op.f("pk_assignment_version_bundle")),
    )


def downgrade() -> None:
    """Bring it back to the one before."""
    op.drop_table("assignment_version_bundle")
