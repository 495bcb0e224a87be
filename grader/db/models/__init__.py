"""The tables. One class per word of the glossary; relations are followed by explicit queries in services."""

from grader.db.base import Base
from grader.db.models.accounts import (
    Account,
    ApiToken,
    Identity,
    Invitation,
    LoginFailure,
    LoginSession,
    RosterEntry,
)
from grader.db.models.assignments import (
    Assignment,
    AssignmentVersion,
    AssignmentVersionBundle,
    AssignmentVersionFile,
)
from grader.db.models.attempts import Attempt, CheckResult
from grader.db.models.courses import Course, Membership, User
from grader.db.models.files import StoredFile
from grader.db.models.journal import AuditEvent, OutboxMessage
from grader.db.models.publishing import Publication
from grader.db.models.regrading import RegradeItem, RegradePlan
from grader.db.models.reviewing import Adjustment, BankComment, Comment, RegradeRequest, Review
from grader.db.models.scheduling import AssignmentSchedule, CoursePolicy, Extension, SubmissionChoice
from grader.db.models.submissions import Submission, SubmissionFile

__all__ = [
    "Account",
    "Adjustment",
    "ApiToken",
    "Assignment",
    "AssignmentSchedule",
    "AssignmentVersion",
    "AssignmentVersionBundle",
    "AssignmentVersionFile",
    "Attempt",
    "AuditEvent",
    "BankComment",
    "Base",
    "CheckResult",
    "Comment",
    "Course",
    "CoursePolicy",
    "Extension",
    "Identity",
    "Invitation",
    "LoginFailure",
    "LoginSession",
    "Membership",
    "OutboxMessage",
    "Publication",
    "RegradeItem",
    "RegradePlan",
    "RegradeRequest",
    "Review",
    "RosterEntry",
    "StoredFile",
    "Submission",
    "SubmissionChoice",
    "SubmissionFile",
    "User",
]
