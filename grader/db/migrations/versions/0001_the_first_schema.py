"""The first schema.

Revision: 0001, after none; 2026-11-30 09:20:20.264360
"""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0001"
down_revision = None
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Bring the schema to this revision."""
    op.create_table(
        "app_user",
        sa.Column("id", sa.Uuid(), nullable=False),
        sa.Column("login", sa.Text(), nullable=False),
        sa.Column("name", sa.Text(), nullable=False),
        sa.Column("email", sa.Text(), nullable=True),
        sa.Column("created_at", sa.DateTime(timezone=True), nullable=False),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_app_user")),
        sa.UniqueConstraint("login", name=op.f("uq_app_user_login")),
    )
    op.create_table(
        "course",
        sa.Column("id", sa.Uuid(), nullable=False),
        sa.Column("slug", sa.Text(), nullable=False),
        sa.Column("title", sa.Text(), nullable=False),
        sa.Column("timezone", sa.Text(), nullable=False),
        sa.Column("created_at", sa.DateTime(timezone=True), nullable=False),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_course")),
        sa.UniqueConstraint("slug", name=op.f("uq_course_slug")),
    )
    op.create_table(
        "stored_file",
        sa.Column("sha256", sa.String(length=64), nullable=False),
        sa.Column("size", sa.Integer(), nullable=False),
        sa.Column("data", sa.LargeBinary(), nullable=False),
        sa.Column("created_at", sa.DateTime(timezone=True), nullable=False),
        sa.PrimaryKeyConstraint("sha256", name=op.f("pk_stored_file")),
    )
    op.create_table(
        "assignment",
        sa.Column("id", sa.Uuid(), nullable=False),
        sa.Column("course_id", sa.Uuid(), nullable=False),
        sa.Column("slug", sa.Text(), nullable=False),
        sa.Column("title", sa.Text(), nullable=False),
        sa.Column("created_at", sa.DateTime(timezone=True), nullable=False),
        sa.ForeignKeyConstraint(["course_id"], ["course.id"], name=op.f("fk_assignment_course_id_course")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_assignment")),
        sa.UniqueConstraint("course_id", "slug", name=op.f("uq_assignment_course_id_slug")),
    )
    op.create_table(
        "audit_event",
        sa.Column("id", sa.Uuid(), nullable=False),
        sa.Column("at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("actor_id", sa.Uuid(), nullable=True),
        sa.Column("action", sa.Text(), nullable=False),
        sa.Column("subject_kind", sa.Text(), nullable=False),
        sa.Column("subject_id", sa.Uuid(), nullable=False),
        sa.Column("data", sa.Text(), nullable=False),
        sa.ForeignKeyConstraint(["actor_id"], ["app_user.id"], name=op.f("fk_audit_event_actor_id_app_user")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_audit_event")),
    )
    op.create_index(
        op.f("ix_audit_event_subject_kind_subject_id_at"),
        "audit_event",
        ["subject_kind", "subject_id", "at"],
        unique=False,
    )
    op.create_table(
        "membership",
        sa.Column("course_id", sa.Uuid(), nullable=False),
        sa.Column("user_id", sa.Uuid(), nullable=False),
        sa.Column(
            "role",
            sa.Enum(
                "student",
                "ta",
                "instructor",
                name="role",
                native_enum=False,
                create_constraint=True,
                length=32,
            ),
            nullable=False,
        ),
        sa.Column("created_at", sa.DateTime(timezone=True), nullable=False),
        sa.ForeignKeyConstraint(["course_id"], ["course.id"], name=op.f("fk_membership_course_id_course")),
        sa.ForeignKeyConstraint(["user_id"], ["app_user.id"], name=op.f("fk_membership_user_id_app_user")),
        sa.PrimaryKeyConstraint("course_id", "user_id", name=op.f("pk_membership")),
    )
    op.create_index(op.f("ix_membership_user_id"), "membership", ["user_id"], unique=False)
    op.create_table(
        "assignment_version",
        sa.Column("id", sa.Uuid(), nullable=False),
        sa.Column("assignment_id", sa.Uuid(), nullable=False),
        sa.Column("number", sa.Integer(), nullable=False),
        sa.Column("content_hash", sa.String(length=64), nullable=False),
        sa.Column(
            "queue",
            sa.Enum("cpu", "gpu", name="queue", native_enum=False, create_constraint=True, length=32),
            nullable=False,
        ),
        sa.Column("time_limit_s", sa.Double(), nullable=False),
        sa.Column("manifest", sa.Text(), nullable=False),
        sa.Column("rubric", sa.Text(), nullable=False),
        sa.Column("published_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("published_by", sa.Uuid(), nullable=True),
        sa.ForeignKeyConstraint(
            ["assignment_id"], ["assignment.id"], name=op.f("fk_assignment_version_assignment_id_assignment")
        ),
        sa.ForeignKeyConstraint(
            ["published_by"], ["app_user.id"], name=op.f("fk_assignment_version_published_by_app_user")
        ),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_assignment_version")),
        sa.UniqueConstraint(
            "assignment_id", "number", name=op.f("uq_assignment_version_assignment_id_number")
        ),
    )
    op.create_table(
        "submission",
        sa.Column("id", sa.Uuid(), nullable=False),
        sa.Column("assignment_id", sa.Uuid(), nullable=False),
        sa.Column("user_id", sa.Uuid(), nullable=False),
        sa.Column("number", sa.Integer(), nullable=False),
        sa.Column("received_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("idempotency_key", sa.Text(), nullable=False),
        sa.Column("content_hash", sa.String(length=64), nullable=False),
        sa.CheckConstraint("number >= 1", name=op.f("ck_submission_number")),
        sa.ForeignKeyConstraint(
            ["assignment_id"], ["assignment.id"], name=op.f("fk_submission_assignment_id_assignment")
        ),
        sa.ForeignKeyConstraint(["user_id"], ["app_user.id"], name=op.f("fk_submission_user_id_app_user")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_submission")),
        sa.UniqueConstraint(
            "assignment_id",
            "user_id",
            "idempotency_key",
            name=op.f("uq_submission_assignment_id_user_id_idempotency_key"),
        ),
        sa.UniqueConstraint(
            "assignment_id", "user_id", "number", name=op.f("uq_submission_assignment_id_user_id_number")
        ),
    )
    op.create_index(
        op.f("ix_submission_assignment_id_received_at"),
        "submission",
        ["assignment_id", "received_at"],
        unique=False,
    )
    op.create_index(op.f("ix_submission_user_id"), "submission", ["user_id"], unique=False)
    op.create_table(
        "assignment_version_file",
        sa.Column("version_id", sa.Uuid(), nullable=False),
        sa.Column("path", sa.Text(), nullable=False),
        sa.Column("sha256", sa.String(length=64), nullable=False),
        sa.ForeignKeyConstraint(
            ["sha256"], ["stored_file.sha256"], name=op.f("fk_assignment_version_file_sha256_stored_file")
        ),
        sa.ForeignKeyConstraint(
            ["version_id"],
            ["assignment_version.id"],
            name=op.f("fk_assignment_version_file_version_id_assignment_version"),
        ),
        sa.PrimaryKeyConstraint("version_id", "path", name=op.f("pk_assignment_version_file")),
    )
    op.create_table(
        "attempt",
        sa.Column("id", sa.Uuid(), nullable=False),
        sa.Column("submission_id", sa.Uuid(), nullable=False),
        sa.Column("version_id", sa.Uuid(), nullable=False),
        sa.Column("number", sa.Integer(), nullable=False),
        sa.Column(
            "state",
            sa.Enum(
                "queued",
                "running",
                "graded",
                "not_graded",
                "abandoned",
                name="state",
                native_enum=False,
                create_constraint=True,
                length=32,
            ),
            nullable=False,
        ),
        sa.Column(
            "queue",
            sa.Enum("cpu", "gpu", name="queue", native_enum=False, create_constraint=True, length=32),
            nullable=False,
        ),
        sa.Column(
            "lane",
            sa.Enum("interactive", "bulk", name="lane", native_enum=False, create_constraint=True, length=32),
            nullable=False,
        ),
        sa.Column("seed", sa.Text(), nullable=False),
        sa.Column("created_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("queued_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("started_at", sa.DateTime(timezone=True), nullable=True),
        sa.Column("finished_at", sa.DateTime(timezone=True), nullable=True),
        sa.Column("tries", sa.Integer(), nullable=False),
        sa.Column("lease_owner", sa.Text(), nullable=True),
        sa.Column("lease_token", sa.Uuid(), nullable=True),
        sa.Column("lease_expires_at", sa.DateTime(timezone=True), nullable=True),
        sa.Column("heartbeat_at", sa.DateTime(timezone=True), nullable=True),
        sa.Column("progress", sa.Text(), nullable=True),
        sa.Column("dispatches", sa.Integer(), nullable=False),
        sa.Column("dispatched_at", sa.DateTime(timezone=True), nullable=True),
        sa.Column("result", sa.Text(), nullable=True),
        sa.Column("score", sa.Text(), nullable=True),
        sa.Column("max_score", sa.Text(), nullable=True),
        sa.Column("failure_reason", sa.Text(), nullable=True),
        sa.CheckConstraint(
            "(state = 'graded') = (score IS NOT NULL)", name=op.f("ck_attempt_score_when_graded")
        ),
        sa.CheckConstraint(
            "(state = 'running') = (lease_token IS NOT NULL AND lease_expires_at IS NOT NULL)",
            name=op.f("ck_attempt_lease_while_running"),
        ),
        sa.ForeignKeyConstraint(
            ["submission_id"], ["submission.id"], name=op.f("fk_attempt_submission_id_submission")
        ),
        sa.ForeignKeyConstraint(
            ["version_id"], ["assignment_version.id"], name=op.f("fk_attempt_version_id_assignment_version")
        ),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_attempt")),
        sa.UniqueConstraint("submission_id", "number", name=op.f("uq_attempt_submission_id_number")),
    )
    op.create_index(
        op.f("ix_attempt_queue_state_lane_queued_at"),
        "attempt",
        ["queue", "state", "lane", "queued_at"],
        unique=False,
    )
    op.create_index(
        op.f("ix_attempt_state_lease_expires_at"), "attempt", ["state", "lease_expires_at"], unique=False
    )
    op.create_index(op.f("ix_attempt_version_id_state"), "attempt", ["version_id", "state"], unique=False)
    op.create_table(
        "submission_file",
        sa.Column("submission_id", sa.Uuid(), nullable=False),
        sa.Column("position", sa.Integer(), nullable=False),
        sa.Column("name", sa.Text(), nullable=False),
        sa.Column("sha256", sa.String(length=64), nullable=False),
        sa.ForeignKeyConstraint(
            ["sha256"], ["stored_file.sha256"], name=op.f("fk_submission_file_sha256_stored_file")
        ),
        sa.ForeignKeyConstraint(
            ["submission_id"], ["submission.id"], name=op.f("fk_submission_file_submission_id_submission")
        ),
        sa.PrimaryKeyConstraint("submission_id", "position", name=op.f("pk_submission_file")),
    )
    op.create_table(
        "check_result",
        sa.Column("attempt_id", sa.Uuid(), nullable=False),
        sa.Column("check_id", sa.Text(), nullable=False),
        sa.Column("position", sa.Integer(), nullable=False),
        sa.Column(
            "verdict",
            sa.Enum(
                "passed",
                "failed",
                "crashed",
                "timed_out",
                "out_of_memory",
                "skipped",
                "inconclusive",
                "internal_error",
                name="verdict",
                native_enum=False,
                create_constraint=True,
                length=32,
            ),
            nullable=False,
        ),
        sa.Column(
            "blame",
            sa.Enum(
                "student",
                "course",
                "system",
                name="blame",
                native_enum=False,
                create_constraint=True,
                length=32,
            ),
            nullable=True,
        ),
        sa.Column("points", sa.Text(), nullable=False),
        sa.Column("earned", sa.Text(), nullable=True),
        sa.Column("code", sa.Text(), nullable=True),
        sa.Column("line", sa.Integer(), nullable=True),
        sa.ForeignKeyConstraint(
            ["attempt_id"], ["attempt.id"], name=op.f("fk_check_result_attempt_id_attempt")
        ),
        sa.PrimaryKeyConstraint("attempt_id", "check_id", name=op.f("pk_check_result")),
    )
    op.create_index(
        op.f("ix_check_result_check_id_verdict"), "check_result", ["check_id", "verdict"], unique=False
    )
    op.create_table(
        "outbox",
        sa.Column(
            "id", sa.BigInteger().with_variant(sa.Integer(), "sqlite"), autoincrement=True, nullable=False
        ),
        sa.Column("attempt_id", sa.Uuid(), nullable=False),
        sa.Column(
            "queue",
            sa.Enum("cpu", "gpu", name="queue", native_enum=False, create_constraint=True, length=32),
            nullable=False,
        ),
        sa.Column(
            "lane",
            sa.Enum("interactive", "bulk", name="lane", native_enum=False, create_constraint=True, length=32),
            nullable=False,
        ),
        sa.Column("time_limit_s", sa.Double(), nullable=False),
        sa.Column("created_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("available_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("claim_token", sa.Uuid(), nullable=True),
        sa.Column("claimed_until", sa.DateTime(timezone=True), nullable=True),
        sa.Column("sent_at", sa.DateTime(timezone=True), nullable=True),
        sa.ForeignKeyConstraint(["attempt_id"], ["attempt.id"], name=op.f("fk_outbox_attempt_id_attempt")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_outbox")),
    )
    op.create_index(op.f("ix_outbox_attempt_id"), "outbox", ["attempt_id"], unique=False)
    op.create_index(
        op.f("ix_outbox_sent_at_available_at_id"), "outbox", ["sent_at", "available_at", "id"], unique=False
    )


def downgrade() -> None:
    """Bring it back to the one before."""
    op.drop_index(op.f("ix_outbox_sent_at_available_at_id"), table_name="outbox")
    op.drop_index(op.f("ix_outbox_attempt_id"), table_name="outbox")
    op.drop_table("outbox")
    op.drop_index(op.f("ix_check_result_check_id_verdict"), table_name="check_result")
    op.drop_table("check_result")
    op.drop_table("submission_file")
    op.drop_index(op.f("ix_attempt_version_id_state"), table_name="attempt")
    op.drop_index(op.f("ix_attempt_state_lease_expires_at"), table_name="attempt")
    op.drop_index(op.f("ix_attempt_queue_state_lane_queued_at"), table_name="attempt")
    op.drop_table("attempt")
    op.drop_table("assignment_version_file")
    op.drop_index(op.f("ix_submission_user_id"), table_name="submission")
    op.drop_index(op.f("ix_submission_assignment_id_received_at"), table_name="submission")
    op.drop_table("submission")
    op.drop_table("assignment_version")
    op.drop_index(op.f("ix_membership_user_id"), table_name="membership")
    op.drop_table("membership")
    op.drop_index(op.f("ix_audit_event_subject_kind_subject_id_at"), table_name="audit_event")
    op.drop_table("audit_event")
    op.drop_table("assignment")
    op.drop_table("stored_file")
    op.drop_table("course")
    op.drop_table("app_user")
