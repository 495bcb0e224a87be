"""A whole course as one archive: what was published, handed in, found, said and changed."""

from __future__ import annotations

from typing import IO
from uuid import UUID

from sqlalchemy import ColumnElement, Select, or_, select

from grader.db import models
from grader.db.base import Base
from grader.db.database import Database
from grader.services.access import Actor, Seat, seat_in
from grader.services.exports.archive import ROWS_AT_ONCE, ArchiveWriter, Part
from grader.services.exports.recording import export_made

_LARGE = (models.Attempt, models.AssignmentVersion)
"""Their rows hold whole results and manifests."""

_LEASES = frozenset({"lease_owner", "lease_token", "lease_expires_at", "heartbeat_at", "progress"})


def write_course_archive(database: Database, out: IO[bytes], *, actor: Actor, course: str) -> str:
    """Write the archive of a course into `out`, and return the name for it; for instructors."""
    with database.writing() as session:
        seat = seat_in(session, course=course, user_id=actor.user_id).require_instructor()
        export_made(session, seat, actor=actor, kind="archive", at=database.now(session))
    with database.reading() as session:
        about = {"kind": "course", "course": seat.course_slug, "made_at": database.now(session).isoformat()}
        with ArchiveWriter(out, about=about) as archive:
            for part in _parts(seat):
                archive.add_rows(session, part)
            archive.add_files(session, _hashes(seat))
    return f"{seat.course_slug}-archive.zip"


def _parts(seat: Seat) -> tuple[Part, ...]:
    course = seat.course_id
    assignments = select(models.Assignment.id).where(models.Assignment.course_id == course)
    submissions = select(models.Submission.id).where(models.Submission.assignment_id.in_(assignments))
    versions = select(models.AssignmentVersion.id).where(
        models.AssignmentVersion.assignment_id.in_(assignments)
    )
    plans = select(models.RegradePlan.id).where(models.RegradePlan.assignment_id.in_(assignments))
    attempts = select(models.Attempt.id).where(models.Attempt.submission_id.in_(submissions))
    members = select(models.Membership.user_id).where(models.Membership.course_id == course)
    authors = select(models.Submission.user_id).where(models.Submission.assignment_id.in_(assignments))
    people = or_(models.User.id.in_(members), models.User.id.in_(authors))
    conditions: tuple[tuple[str, type[Base], ColumnElement[bool]], ...] = (
        ("course", models.Course, models.Course.id == course),
        ("policy", models.CoursePolicy, models.CoursePolicy.course_id == course),
        ("people", models.User, people),
        ("members", models.Membership, models.Membership.course_id == course),
        ("roster", models.RosterEntry, models.RosterEntry.course_id == course),
        ("assignments", models.Assignment, models.Assignment.course_id == course),
        (
            "schedules",
            models.AssignmentSchedule,
            models.AssignmentSchedule.assignment_id.in_(assignments),
        ),
        ("extensions", models.Extension, models.Extension.assignment_id.in_(assignments)),
        ("versions", models.AssignmentVersion, models.AssignmentVersion.id.in_(versions)),
        (
            "version_files",
            models.AssignmentVersionFile,
            models.AssignmentVersionFile.version_id.in_(versions),
        ),
        ("submissions", models.Submission, models.Submission.id.in_(submissions)),
        ("submission_files", models.SubmissionFile, models.SubmissionFile.submission_id.in_(submissions)),
        ("choices", models.SubmissionChoice, models.SubmissionChoice.assignment_id.in_(assignments)),
        ("attempts", models.Attempt, models.Attempt.id.in_(attempts)),
        ("checks", models.CheckResult, models.CheckResult.attempt_id.in_(attempts)),
        ("reviews", models.Review, models.Review.submission_id.in_(submissions)),
        ("adjustments", models.Adjustment, models.Adjustment.submission_id.in_(submissions)),
        ("comments", models.Comment, models.Comment.submission_id.in_(submissions)),
        ("bank_comments", models.BankComment, models.BankComment.course_id == course),
        ("regrade_requests", models.RegradeRequest, models.RegradeRequest.submission_id.in_(submissions)),
        ("regrade_plans", models.RegradePlan, models.RegradePlan.id.in_(plans)),
        ("regrade_items", models.RegradeItem, models.RegradeItem.plan_id.in_(plans)),
        (
            "audit",
            models.AuditEvent,
            _of_the_course(seat, assignments, submissions, attempts, versions, plans),
        ),
    )
    return tuple(
        Part(
            name=name,
            query=select(table).where(condition),
            without=_LEASES,
            at_once=1 if table in _LARGE else ROWS_AT_ONCE,
        )
        for name, table, condition in conditions
    )


def _of_the_course(seat: Seat, *ids: Select[UUID]) -> ColumnElement[bool]:
    """Whether an event is about the course or something in it."""
    subject = models.AuditEvent.subject_id
    return or_(subject == seat.course_id, *(subject.in_(of) for of in ids))


def _hashes(seat: Seat) -> Select[str]:
    """Every content that was handed in or published."""
    handed_in = (
        select(models.SubmissionFile.sha256)
        .join(models.Submission, models.Submission.id == models.SubmissionFile.submission_id)
        .join(models.Assignment, models.Assignment.id == models.Submission.assignment_id)
        .where(models.Assignment.course_id == seat.course_id)
    )
    published = (
        select(models.AssignmentVersionFile.sha256)
        .join(
            models.AssignmentVersion, models.AssignmentVersion.id == models.AssignmentVersionFile.version_id
        )
        .join(models.Assignment, models.Assignment.id == models.AssignmentVersion.assignment_id)
        .where(models.Assignment.course_id == seat.course_id)
    )
    return select(handed_in.union(published).subquery().c.sha256)
