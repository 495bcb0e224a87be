"""What a roster says of a member has a version, and a course may hide names from its teaching assistants.

Revision: 0004, after 0003; 2026-11-30
"""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0004"
down_revision = "0003"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Bring the schema to this revision."""
    op.add_column("membership", sa.Column("version", sa.Integer(), nullable=False, server_default="1"))
    op.add_column(
        "course_policy", sa.Column("names_hidden", sa.Boolean(), nullable=False, server_default=sa.false())
    )


def downgrade() -> None:
    """Bring it back to the one before."""
    op.drop_column("course_policy", "names_hidden")
    op.drop_column("membership", "version")
