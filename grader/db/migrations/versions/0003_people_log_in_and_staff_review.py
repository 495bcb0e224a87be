"""People log in, assignments have dates, staff review and regrade.

Revision: 0003, after 0002; 2026-11-30 12:03:41.522606
"""

from __future__ import annotations

import json

import sqlalchemy as sa
from alembic import op

revision = "0003"
down_revision = "0002"
branch_labels = None
depends_on = None

APPEND_ONLY = "adjustment"
ACTIONS = ("UPDATE", "DELETE")


def upgrade() -> None:
    """Bring the schema to this revision."""
    op.create_table(
        "login_failure",
        sa.Column("id", sa.Uuid(), nullable=False),
        sa.Column("key", sa.String(length=64), nullable=False),
        sa.Column("at", sa.DateTime(timezone=True), nullable=False),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_login_failure")),
    )
    op.create_index(op.f("ix_login_failure_key_at"), "login_failure", ["key", "at"], unique=False)
    op.create_table(
        "account",
        sa.Column("user_id", sa.Uuid(), nullable=False),
        sa.Column("password_hash", sa.Text(), nullable=True),
        sa.Column("timezone", sa.Text(), nullable=True),
        sa.Column("may_create_courses", sa.Boolean(), nullable=False),
        sa.Column("disabled_at", sa.DateTime(timezone=True), nullable=True),
        sa.ForeignKeyConstraint(["user_id"], ["app_user.id"], name=op.f("fk_account_user_id_app_user")),
        sa.PrimaryKeyConstraint("user_id", name=op.f("pk_account")),
    )
    op.create_table(
        "api_token",
        sa.Column("id", sa.Uuid(), nullable=False),
        sa.Column("token_hash", sa.String(length=64), nullable=False),
        sa.Column("user_id", sa.Uuid(), nullable=False),
        sa.Column("name", sa.Text(), nullable=False),
        sa.Column("hint", sa.Text(), nullable=False),
        sa.Column("created_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("expires_at", sa.DateTime(timezone=True), nullable=True),
        sa.Column("last_used_at", sa.DateTime(timezone=True), nullable=True),
        sa.Column("revoked_at", sa.DateTime(timezone=True), nullable=True),
        sa.ForeignKeyConstraint(["user_id"], ["app_user.id"], name=op.f("fk_api_token_user_id_app_user")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_api_token")),
        sa.UniqueConstraint("token_hash", name=op.f("uq_api_token_token_hash")),
    )
    op.create_index(op.f("ix_api_token_user_id"), "api_token", ["user_id"], unique=False)
    op.create_table(
        "bank_comment",
        sa.Column("id", sa.Uuid(), nullable=False),
        sa.Column("course_id", sa.Uuid(), nullable=False),
        sa.Column("title", sa.Text(), nullable=False),
        sa.Column("text", sa.Text(), nullable=False),
        sa.Column("code", sa.Text(), nullable=True),
        sa.Column("created_by", sa.Uuid(), nullable=False),
        sa.Column("created_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("deleted_at", sa.DateTime(timezone=True), nullable=True),
        sa.Column("version", sa.Integer(), nullable=False),
        sa.ForeignKeyConstraint(["course_id"], ["course.id"], name=op.f("fk_bank_comment_course_id_course")),
        sa.ForeignKeyConstraint(
            ["created_by"], ["app_user.id"], name=op.f("fk_bank_comment_created_by_app_user")
        ),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_bank_comment")),
    )
    op.create_index(op.f("ix_bank_comment_course_id"), "bank_comment", ["course_id"], unique=False)
    op.create_table(
        "course_policy",
        sa.Column("course_id", sa.Uuid(), nullable=False),
        sa.Column("grace_days", sa.Integer(), nullable=False),
        sa.Column("archived_at", sa.DateTime(timezone=True), nullable=True),
        sa.Column("version", sa.Integer(), nullable=False),
        sa.ForeignKeyConstraint(["course_id"], ["course.id"], name=op.f("fk_course_policy_course_id_course")),
        sa.PrimaryKeyConstraint("course_id", name=op.f("pk_course_policy")),
    )
    op.create_table(
        "identity",
        sa.Column("issuer", sa.Text(), nullable=False),
        sa.Column("subject", sa.Text(), nullable=False),
        sa.Column("user_id", sa.Uuid(), nullable=False),
        sa.Column("created_at", sa.DateTime(timezone=True), nullable=False),
        sa.ForeignKeyConstraint(["user_id"], ["app_user.id"], name=op.f("fk_identity_user_id_app_user")),
        sa.PrimaryKeyConstraint("issuer", "subject", name=op.f("pk_identity")),
    )
    op.create_index(op.f("ix_identity_user_id"), "identity", ["user_id"], unique=False)
    op.create_table(
        "invitation",
        sa.Column("id", sa.Uuid(), nullable=False),
        sa.Column("token_hash", sa.String(length=64), nullable=False),
        sa.Column("course_id", sa.Uuid(), nullable=True),
        sa.Column("user_id", sa.Uuid(), nullable=True),
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
            nullable=True,
        ),
        sa.Column("created_by", sa.Uuid(), nullable=True),
        sa.Column("created_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("expires_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("used_at", sa.DateTime(timezone=True), nullable=True),
        sa.Column("used_by", sa.Uuid(), nullable=True),
        sa.Column("revoked_at", sa.DateTime(timezone=True), nullable=True),
        sa.ForeignKeyConstraint(["course_id"], ["course.id"], name=op.f("fk_invitation_course_id_course")),
        sa.ForeignKeyConstraint(
            ["created_by"], ["app_user.id"], name=op.f("fk_invitation_created_by_app_user")
        ),
        sa.ForeignKeyConstraint(["used_by"], ["app_user.id"], name=op.f("fk_invitation_used_by_app_user")),
        sa.ForeignKeyConstraint(["user_id"], ["app_user.id"], name=op.f("fk_invitation_user_id_app_user")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_invitation")),
        sa.UniqueConstraint("token_hash", name=op.f("uq_invitation_token_hash")),
    )
    op.create_index(op.f("ix_invitation_course_id"), "invitation", ["course_id"], unique=False)
    op.create_index(op.f("ix_invitation_user_id"), "invitation", ["user_id"], unique=False)
    op.create_table(
        "login_session",
        sa.Column("id", sa.Uuid(), nullable=False),
        sa.Column("token_hash", sa.String(length=64), nullable=False),
        sa.Column("user_id", sa.Uuid(), nullable=False),
        sa.Column("created_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("last_seen_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("expires_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("user_agent", sa.Text(), nullable=False),
        sa.ForeignKeyConstraint(["user_id"], ["app_user.id"], name=op.f("fk_login_session_user_id_app_user")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_login_session")),
        sa.UniqueConstraint("token_hash", name=op.f("uq_login_session_token_hash")),
    )
    op.create_index(op.f("ix_login_session_user_id"), "login_session", ["user_id"], unique=False)
    op.create_table(
        "roster_entry",
        sa.Column("course_id", sa.Uuid(), nullable=False),
        sa.Column("user_id", sa.Uuid(), nullable=False),
        sa.Column("student_number", sa.Text(), nullable=True),
        sa.Column("section", sa.Text(), nullable=True),
        sa.Column("extra_days", sa.Integer(), nullable=False),
        sa.ForeignKeyConstraint(["course_id"], ["course.id"], name=op.f("fk_roster_entry_course_id_course")),
        sa.ForeignKeyConstraint(["user_id"], ["app_user.id"], name=op.f("fk_roster_entry_user_id_app_user")),
        sa.PrimaryKeyConstraint("course_id", "user_id", name=op.f("pk_roster_entry")),
        sa.UniqueConstraint(
            "course_id", "student_number", name=op.f("uq_roster_entry_course_id_student_number")
        ),
    )
    op.create_index(op.f("ix_roster_entry_user_id"), "roster_entry", ["user_id"], unique=False)
    op.create_table(
        "assignment_schedule",
        sa.Column("assignment_id", sa.Uuid(), nullable=False),
        sa.Column("draft", sa.Boolean(), nullable=False),
        sa.Column("opens_at", sa.DateTime(timezone=True), nullable=True),
        sa.Column("due_at", sa.DateTime(timezone=True), nullable=True),
        sa.Column("closes_at", sa.DateTime(timezone=True), nullable=True),
        sa.Column(
            "late_rule",
            sa.Enum(
                "nothing", "per_day", name="late_rule", native_enum=False, create_constraint=True, length=32
            ),
            nullable=False,
        ),
        sa.Column("per_day", sa.Text(), nullable=False),
        sa.Column("uses_grace", sa.Boolean(), nullable=False),
        sa.Column("submission_limit", sa.Integer(), nullable=True),
        sa.Column("cooldown_s", sa.Integer(), nullable=False),
        sa.Column(
            "counting",
            sa.Enum(
                "best",
                "last",
                "chosen",
                name="counting",
                native_enum=False,
                create_constraint=True,
                length=32,
            ),
            nullable=False,
        ),
        sa.Column("released_at", sa.DateTime(timezone=True), nullable=True),
        sa.Column("version", sa.Integer(), nullable=False),
        sa.CheckConstraint(
            "closes_at IS NULL OR due_at IS NULL OR closes_at >= due_at",
            name=op.f("ck_assignment_schedule_close"),
        ),
        sa.ForeignKeyConstraint(
            ["assignment_id"], ["assignment.id"], name=op.f("fk_assignment_schedule_assignment_id_assignment")
        ),
        sa.PrimaryKeyConstraint("assignment_id", name=op.f("pk_assignment_schedule")),
    )
    op.create_table(
        "extension",
        sa.Column("id", sa.Uuid(), nullable=False),
        sa.Column("assignment_id", sa.Uuid(), nullable=False),
        sa.Column("user_id", sa.Uuid(), nullable=False),
        sa.Column("due_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("closes_at", sa.DateTime(timezone=True), nullable=True),
        sa.Column("reason", sa.Text(), nullable=False),
        sa.Column("granted_by", sa.Uuid(), nullable=True),
        sa.Column("granted_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("revoked_at", sa.DateTime(timezone=True), nullable=True),
        sa.ForeignKeyConstraint(
            ["assignment_id"], ["assignment.id"], name=op.f("fk_extension_assignment_id_assignment")
        ),
        sa.ForeignKeyConstraint(
            ["granted_by"], ["app_user.id"], name=op.f("fk_extension_granted_by_app_user")
        ),
        sa.ForeignKeyConstraint(["user_id"], ["app_user.id"], name=op.f("fk_extension_user_id_app_user")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_extension")),
    )
    op.create_index(op.f("ix_extension_assignment_id"), "extension", ["assignment_id"], unique=False)
    op.create_index(op.f("ix_extension_user_id"), "extension", ["user_id"], unique=False)
    op.create_table(
        "adjustment",
        sa.Column("id", sa.Uuid(), nullable=False),
        sa.Column("submission_id", sa.Uuid(), nullable=False),
        sa.Column(
            "kind",
            sa.Enum("set_check", "add", name="kind", native_enum=False, create_constraint=True, length=32),
            nullable=False,
        ),
        sa.Column("check_id", sa.Text(), nullable=True),
        sa.Column("points", sa.Text(), nullable=False),
        sa.Column("reason", sa.Text(), nullable=False),
        sa.Column("author_id", sa.Uuid(), nullable=True),
        sa.Column("created_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("revokes_id", sa.Uuid(), nullable=True),
        sa.CheckConstraint(
            "(kind = 'set_check') = (check_id IS NOT NULL)", name=op.f("ck_adjustment_check_named")
        ),
        sa.ForeignKeyConstraint(
            ["author_id"], ["app_user.id"], name=op.f("fk_adjustment_author_id_app_user")
        ),
        sa.ForeignKeyConstraint(
            ["revokes_id"], ["adjustment.id"], name=op.f("fk_adjustment_revokes_id_adjustment")
        ),
        sa.ForeignKeyConstraint(
            ["submission_id"], ["submission.id"], name=op.f("fk_adjustment_submission_id_submission")
        ),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_adjustment")),
        sa.UniqueConstraint("revokes_id", name=op.f("uq_adjustment_revokes_id")),
    )
    op.create_index(
        op.f("ix_adjustment_submission_id_created_at"),
        "adjustment",
        ["submission_id", "created_at"],
        unique=False,
    )
    op.create_table(
        "comment",
        sa.Column("id", sa.Uuid(), nullable=False),
        sa.Column("submission_id", sa.Uuid(), nullable=False),
        sa.Column("author_id", sa.Uuid(), nullable=False),
        sa.Column("file", sa.Text(), nullable=True),
        sa.Column("line", sa.Integer(), nullable=True),
        sa.Column("check_id", sa.Text(), nullable=True),
        sa.Column("text", sa.Text(), nullable=False),
        sa.Column("staff_only", sa.Boolean(), nullable=False),
        sa.Column("created_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("edited_at", sa.DateTime(timezone=True), nullable=True),
        sa.Column("deleted_at", sa.DateTime(timezone=True), nullable=True),
        sa.Column("version", sa.Integer(), nullable=False),
        sa.CheckConstraint("line IS NULL OR (file IS NOT NULL AND line >= 1)", name=op.f("ck_comment_line")),
        sa.ForeignKeyConstraint(["author_id"], ["app_user.id"], name=op.f("fk_comment_author_id_app_user")),
        sa.ForeignKeyConstraint(
            ["submission_id"], ["submission.id"], name=op.f("fk_comment_submission_id_submission")
        ),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_comment")),
    )
    op.create_index(
        op.f("ix_comment_submission_id_created_at"), "comment", ["submission_id", "created_at"], unique=False
    )
    op.create_table(
        "publication",
        sa.Column("id", sa.Uuid(), nullable=False),
        sa.Column("course_id", sa.Uuid(), nullable=False),
        sa.Column("slug", sa.Text(), nullable=False),
        sa.Column("title", sa.Text(), nullable=False),
        sa.Column("upload_name", sa.Text(), nullable=False),
        sa.Column("upload_sha256", sa.String(length=64), nullable=False),
        sa.Column("as_draft", sa.Boolean(), nullable=False),
        sa.Column(
            "queue",
            sa.Enum("cpu", "gpu", name="queue", native_enum=False, create_constraint=True, length=32),
            nullable=False,
        ),
        sa.Column("time_limit_s", sa.Double(), nullable=False),
        sa.Column(
            "state",
            sa.Enum(
                "queued",
                "running",
                "published",
                "unchanged",
                "refused",
                "broken",
                name="state",
                native_enum=False,
                create_constraint=True,
                length=32,
            ),
            nullable=False,
        ),
        sa.Column("requested_by", sa.Uuid(), nullable=True),
        sa.Column("requested_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("dispatches", sa.Integer(), nullable=False),
        sa.Column("dispatched_at", sa.DateTime(timezone=True), nullable=True),
        sa.Column("tries", sa.Integer(), nullable=False),
        sa.Column("lease_token", sa.Uuid(), nullable=True),
        sa.Column("lease_expires_at", sa.DateTime(timezone=True), nullable=True),
        sa.Column("step", sa.Text(), nullable=True),
        sa.Column("gate", sa.Text(), nullable=True),
        sa.Column("problem", sa.Text(), nullable=True),
        sa.Column("version_id", sa.Uuid(), nullable=True),
        sa.Column("finished_at", sa.DateTime(timezone=True), nullable=True),
        sa.CheckConstraint(
            "(state = 'running') = (lease_token IS NOT NULL AND lease_expires_at IS NOT NULL)",
            name=op.f("ck_publication_lease_while_running"),
        ),
        sa.ForeignKeyConstraint(["course_id"], ["course.id"], name=op.f("fk_publication_course_id_course")),
        sa.ForeignKeyConstraint(
            ["requested_by"], ["app_user.id"], name=op.f("fk_publication_requested_by_app_user")
        ),
        sa.ForeignKeyConstraint(
            ["upload_sha256"], ["stored_file.sha256"], name=op.f("fk_publication_upload_sha256_stored_file")
        ),
        sa.ForeignKeyConstraint(
            ["version_id"],
            ["assignment_version.id"],
            name=op.f("fk_publication_version_id_assignment_version"),
        ),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_publication")),
    )
    op.create_index(
        op.f("ix_publication_state_dispatched_at"), "publication", ["state", "dispatched_at"], unique=False
    )
    op.create_index(
        op.f("ix_publication_course_id_requested_at"),
        "publication",
        ["course_id", "requested_at"],
        unique=False,
    )
    op.create_table(
        "regrade_plan",
        sa.Column("id", sa.Uuid(), nullable=False),
        sa.Column("assignment_id", sa.Uuid(), nullable=False),
        sa.Column("version_id", sa.Uuid(), nullable=False),
        sa.Column("reason", sa.Text(), nullable=False),
        sa.Column(
            "state",
            sa.Enum(
                "running",
                "ready",
                "applied",
                "undone",
                "discarded",
                name="state",
                native_enum=False,
                create_constraint=True,
                length=32,
            ),
            nullable=False,
        ),
        sa.Column("created_by", sa.Uuid(), nullable=True),
        sa.Column("created_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("applied_at", sa.DateTime(timezone=True), nullable=True),
        sa.Column("undone_at", sa.DateTime(timezone=True), nullable=True),
        sa.Column("version", sa.Integer(), nullable=False),
        sa.ForeignKeyConstraint(
            ["assignment_id"], ["assignment.id"], name=op.f("fk_regrade_plan_assignment_id_assignment")
        ),
        sa.ForeignKeyConstraint(
            ["created_by"], ["app_user.id"], name=op.f("fk_regrade_plan_created_by_app_user")
        ),
        sa.ForeignKeyConstraint(
            ["version_id"],
            ["assignment_version.id"],
            name=op.f("fk_regrade_plan_version_id_assignment_version"),
        ),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_regrade_plan")),
    )
    op.create_index(
        op.f("ix_regrade_plan_assignment_id_created_at"),
        "regrade_plan",
        ["assignment_id", "created_at"],
        unique=False,
    )
    op.create_table(
        "regrade_request",
        sa.Column("id", sa.Uuid(), nullable=False),
        sa.Column("submission_id", sa.Uuid(), nullable=False),
        sa.Column("check_id", sa.Text(), nullable=True),
        sa.Column("text", sa.Text(), nullable=False),
        sa.Column("created_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column(
            "state",
            sa.Enum(
                "open",
                "accepted",
                "declined",
                "withdrawn",
                name="state",
                native_enum=False,
                create_constraint=True,
                length=32,
            ),
            nullable=False,
        ),
        sa.Column("answer", sa.Text(), nullable=True),
        sa.Column("answered_by", sa.Uuid(), nullable=True),
        sa.Column("answered_at", sa.DateTime(timezone=True), nullable=True),
        sa.Column("version", sa.Integer(), nullable=False),
        sa.ForeignKeyConstraint(
            ["answered_by"], ["app_user.id"], name=op.f("fk_regrade_request_answered_by_app_user")
        ),
        sa.ForeignKeyConstraint(
            ["submission_id"], ["submission.id"], name=op.f("fk_regrade_request_submission_id_submission")
        ),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_regrade_request")),
    )
    op.create_index(
        op.f("ix_regrade_request_state_created_at"), "regrade_request", ["state", "created_at"], unique=False
    )
    op.create_index(
        op.f("ix_regrade_request_submission_id_created_at"),
        "regrade_request",
        ["submission_id", "created_at"],
        unique=False,
    )
    op.create_table(
        "review",
        sa.Column("submission_id", sa.Uuid(), nullable=False),
        sa.Column("version", sa.Integer(), nullable=False),
        sa.Column("reviewed_at", sa.DateTime(timezone=True), nullable=True),
        sa.Column("reviewed_by", sa.Uuid(), nullable=True),
        sa.ForeignKeyConstraint(
            ["reviewed_by"], ["app_user.id"], name=op.f("fk_review_reviewed_by_app_user")
        ),
        sa.ForeignKeyConstraint(
            ["submission_id"], ["submission.id"], name=op.f("fk_review_submission_id_submission")
        ),
        sa.PrimaryKeyConstraint("submission_id", name=op.f("pk_review")),
    )
    op.create_table(
        "submission_choice",
        sa.Column("assignment_id", sa.Uuid(), nullable=False),
        sa.Column("user_id", sa.Uuid(), nullable=False),
        sa.Column("submission_id", sa.Uuid(), nullable=False),
        sa.Column("chosen_at", sa.DateTime(timezone=True), nullable=False),
        sa.ForeignKeyConstraint(
            ["assignment_id"], ["assignment.id"], name=op.f("fk_submission_choice_assignment_id_assignment")
        ),
        sa.ForeignKeyConstraint(
            ["submission_id"], ["submission.id"], name=op.f("fk_submission_choice_submission_id_submission")
        ),
        sa.ForeignKeyConstraint(
            ["user_id"], ["app_user.id"], name=op.f("fk_submission_choice_user_id_app_user")
        ),
        sa.PrimaryKeyConstraint("assignment_id", "user_id", name=op.f("pk_submission_choice")),
        sa.UniqueConstraint("submission_id", name=op.f("uq_submission_choice_submission_id")),
    )
    op.create_table(
        "regrade_item",
        sa.Column("plan_id", sa.Uuid(), nullable=False),
        sa.Column("submission_id", sa.Uuid(), nullable=False),
        sa.Column("attempt_id", sa.Uuid(), nullable=False),
        sa.ForeignKeyConstraint(
            ["attempt_id"], ["attempt.id"], name=op.f("fk_regrade_item_attempt_id_attempt")
        ),
        sa.ForeignKeyConstraint(
            ["plan_id"], ["regrade_plan.id"], name=op.f("fk_regrade_item_plan_id_regrade_plan")
        ),
        sa.ForeignKeyConstraint(
            ["submission_id"], ["submission.id"], name=op.f("fk_regrade_item_submission_id_submission")
        ),
        sa.PrimaryKeyConstraint("plan_id", "submission_id", name=op.f("pk_regrade_item")),
        sa.UniqueConstraint("attempt_id", name=op.f("uq_regrade_item_attempt_id")),
    )
    op.create_index(op.f("ix_regrade_item_submission_id"), "regrade_item", ["submission_id"], unique=False)
    op.add_column("check_result", sa.Column("file", sa.Text(), nullable=True))
    op.add_column("check_result", sa.Column("shape", sa.Text(), nullable=True))
    op.add_column("attempt", sa.Column("flag_count", sa.Integer(), nullable=False, server_default="0"))
    _count_flags()
    for action in ACTIONS:
        op.execute(_guard(action))


def downgrade() -> None:
    """Bring it back to the one before."""
    on_table = f" ON {APPEND_ONLY}" if op.get_context().dialect.name == "postgresql" else ""
    for action in ACTIONS:
        op.execute(f"DROP TRIGGER {_name(action)}{on_table}")
    op.drop_column("attempt", "flag_count")
    op.drop_column("check_result", "shape")
    op.drop_column("check_result", "file")
    op.drop_index(op.f("ix_regrade_item_submission_id"), table_name="regrade_item")
    op.drop_table("regrade_item")
    op.drop_table("submission_choice")
    op.drop_table("review")
    op.drop_index(op.f("ix_regrade_request_submission_id_created_at"), table_name="regrade_request")
    op.drop_index(op.f("ix_regrade_request_state_created_at"), table_name="regrade_request")
    op.drop_table("regrade_request")
    op.drop_index(op.f("ix_publication_course_id_requested_at"), table_name="publication")
    op.drop_index(op.f("ix_publication_state_dispatched_at"), table_name="publication")
    op.drop_table("publication")
    op.drop_index(op.f("ix_regrade_plan_assignment_id_created_at"), table_name="regrade_plan")
    op.drop_table("regrade_plan")
    op.drop_index(op.f("ix_comment_submission_id_created_at"), table_name="comment")
    op.drop_table("comment")
    op.drop_index(op.f("ix_adjustment_submission_id_created_at"), table_name="adjustment")
    op.drop_table("adjustment")
    op.drop_index(op.f("ix_extension_user_id"), table_name="extension")
    op.drop_index(op.f("ix_extension_assignment_id"), table_name="extension")
    op.drop_table("extension")
    op.drop_table("assignment_schedule")
    op.drop_index(op.f("ix_roster_entry_user_id"), table_name="roster_entry")
    op.drop_table("roster_entry")
    op.drop_index(op.f("ix_login_session_user_id"), table_name="login_session")
    op.drop_table("login_session")
    op.drop_index(op.f("ix_invitation_user_id"), table_name="invitation")
    op.drop_index(op.f("ix_invitation_course_id"), table_name="invitation")
    op.drop_table("invitation")
    op.drop_index(op.f("ix_identity_user_id"), table_name="identity")
    op.drop_table("identity")
    op.drop_table("course_policy")
    op.drop_index(op.f("ix_bank_comment_course_id"), table_name="bank_comment")
    op.drop_table("bank_comment")
    op.drop_index(op.f("ix_api_token_user_id"), table_name="api_token")
    op.drop_table("api_token")
    op.drop_table("account")
    op.drop_index(op.f("ix_login_failure_key_at"), table_name="login_failure")
    op.drop_table("login_failure")


def _count_flags() -> None:
    """Results stored before flags were counted keep theirs inside."""
    attempt = sa.table(
        "attempt",
        sa.column("id", sa.Uuid()),
        sa.column("result", sa.Text()),
        sa.column("flag_count", sa.Integer()),
    )
    connection = op.get_bind()
    stored = connection.execute(
        sa.select(attempt.c.id, attempt.c.result).where(attempt.c.result.is_not(None))
    )
    for attempt_id, text in stored.all():
        result = json.loads(text)
        count = len(result["flags"]) + sum(len(check["flags"]) for check in result["results"])
        if count:
            connection.execute(sa.update(attempt).where(attempt.c.id == attempt_id).values(flag_count=count))


def _name(action: str) -> str:
    return f"refuse_{action.lower()}_of_{APPEND_ONLY}"


def _guard(action: str) -> str:
    """Points are changed by further rows, never by changing one: the database refuses it, whoever asks."""
    head = f"CREATE TRIGGER {_name(action)} BEFORE {action} ON {APPEND_ONLY} FOR EACH ROW"
    if op.get_context().dialect.name == "postgresql":
        return f"{head} EXECUTE FUNCTION refuse_change()"
    return f"{head} BEGIN SELECT RAISE(ABORT, '{APPEND_ONLY} rows are never changed'); END"
