"""The tables. One class per word of the glossary; relations are followed by explicit queries in services."""

from grader.db.base import Base
from grader.db.models.assignments import Assignment, AssignmentVersion, AssignmentVersionFile
from grader.db.models.attempts import Attempt, CheckResult
from grader.db.models.courses import Course, Membership, User
from grader.db.models.files import StoredFile
from grader.db.models.journal import AuditEvent, OutboxMessage
from grader.db.models.submissions import Submission, SubmissionFile

__all__ = [
    "Assignment",
    "AssignmentVersion",
    "AssignmentVersionFile",
    "Attempt",
    "AuditEvent",
    "Base",
    "CheckResult",
    "Course",
    "Membership",
    "OutboxMessage",
    "StoredFile",
    "Submission",
    "SubmissionFile",
    "User",
]
