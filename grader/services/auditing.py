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
    ATTEMPT_NOT_GRADED = "attempt.not_graded"
    ATTEMPT_ABANDONED = "attempt.abandoned"
    ATTEMPT_REQUEUED = "attempt.requeued"
    RESULT_DROPPED = "attempt.result_dropped"


class Subject(StrEnum):
    """What something was done to."""

    COURSE = "course"
    VERSION = "assignment_version"
    SUBMISSION = "submission"
    ATTEMPT = "attempt"


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
