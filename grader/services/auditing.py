"""The record of what was done, by whom, to what."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime
from enum import StrEnum
from uuid import UUID

from sqlalchemy.orm import Session

from grader.db import models
from grader.domain.results import JsonValue


class Action(StrEnum):
    """Everything that is recorded."""

    COURSE_CREATED = "course.created"
    MEMBER_ENROLLED = "member.enrolled"
    VERSION_PUBLISHED = "version.published"
    SUBMISSION_RECEIVED = "submission.received"
    SUBMISSION_CHOSEN = "submission.chosen"
    ATTEMPT_NOT_GRADED = "attempt.not_graded"
    ATTEMPT_ABANDONED = "attempt.abandoned"
    ATTEMPT_REQUEUED = "attempt.requeued"
    RESULT_DROPPED = "attempt.result_dropped"
    ACCOUNT_CREATED = "account.created"
    ACCOUNT_CHANGED = "account.changed"
    PASSWORD_SET = "account.password_set"  # noqa: S105 - the name of an action
    IDENTITY_LINKED = "account.identity_linked"
    TOKEN_CREATED = "token.created"  # noqa: S105 - the name of an action
    TOKEN_REVOKED = "token.revoked"  # noqa: S105 - the name of an action
    INVITATION_MADE = "invitation.made"
    INVITATION_REVOKED = "invitation.revoked"
    INVITATION_USED = "invitation.used"
    COURSE_CHANGED = "course.changed"
    ROSTER_IMPORTED = "roster.imported"
    MEMBER_CHANGED = "member.changed"
    MEMBER_REMOVED = "member.removed"
    SCHEDULE_CHANGED = "schedule.changed"
    GRADES_RELEASED = "grades.released"
    GRADES_TAKEN_BACK = "grades.taken_back"
    EXTENSION_GRANTED = "extension.granted"
    EXTENSION_REVOKED = "extension.revoked"
    PUBLICATION_REQUESTED = "publication.requested"
    PUBLICATION_REFUSED = "publication.refused"
    REGRADE_PLANNED = "regrade.planned"
    REGRADE_APPLIED = "regrade.applied"
    REGRADE_UNDONE = "regrade.undone"
    REGRADE_DISCARDED = "regrade.discarded"
    EXPORT_MADE = "export.made"
    ATTEMPT_REQUESTED = "attempt.requested"
    REVIEW_MARKED = "review.marked"
    COMMENT_WRITTEN = "comment.written"
    COMMENT_EDITED = "comment.edited"
    COMMENT_DELETED = "comment.deleted"
    BANK_COMMENT_WRITTEN = "bank_comment.written"
    BANK_COMMENT_EDITED = "bank_comment.edited"
    BANK_COMMENT_DELETED = "bank_comment.deleted"
    POINTS_ADJUSTED = "points.adjusted"
    ADJUSTMENT_REVOKED = "adjustment.revoked"
    REGRADE_REQUESTED = "regrade_request.made"
    REGRADE_ANSWERED = "regrade_request.answered"
    REGRADE_WITHDRAWN = "regrade_request.withdrawn"


class Subject(StrEnum):
    """What something was done to."""

    COURSE = "course"
    VERSION = "assignment_version"
    SUBMISSION = "submission"
    ATTEMPT = "attempt"
    ACCOUNT = "account"
    INVITATION = "invitation"
    ASSIGNMENT = "assignment"
    EXTENSION = "extension"
    REGRADE_PLAN = "regrade_plan"
    PUBLICATION = "publication"
    PERSON = "app_user"
    COMMENT = "comment"
    BANK_COMMENT = "bank_comment"
    ADJUSTMENT = "adjustment"
    REGRADE_REQUEST = "regrade_request"


def record(
    session: Session,
    action: Action,
    *,
    subject: Subject,
    subject_id: UUID,
    at: datetime,
    actor_id: UUID | None = None,
    data: Mapping[str, JsonValue] | None = None,
) -> None:
    """Add an event in the caller's transaction; without an actor the system itself did it."""
    session.add(
        models.AuditEvent(
            at=at,
            actor_id=actor_id,
            action=action.value,
            subject_kind=subject.value,
            subject_id=subject_id,
            data=dict(data or {}),
        )
    )
