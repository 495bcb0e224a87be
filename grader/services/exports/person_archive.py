"""Everything the grader holds about one person, for that person: what they gave, did and may read.

Reports are what they may read today; what is hidden from them on the page is not in here either.
"""

from __future__ import annotations

from contextlib import suppress
from dataclasses import asdict
from typing import IO
from uuid import UUID

from sqlalchemy import ColumnElement, Select, select
from sqlalchemy.orm import Session

from grader.db import models
from grader.db.base import Base
from grader.db.database import Database
from grader.domain.errors import NotFound
from grader.domain.report_json import view_to_json
from grader.domain.strict_json import JsonObject
from grader.services.access import Actor, seats_of
from grader.services.exports.archive import ArchiveWriter, Part, plain
from grader.services.student.reports import SubmissionReport, report_in

_SECRETS = frozenset({"password_hash", "token_hash"})
_OF_OTHERS = frozenset({"data", "subject_id", "file"})
"""What an event or a comment may tell of somebody else: staff act on others' work, in files named by them."""


def write_person_archive(database: Database, out: IO[bytes], *, actor: Actor) -> str:
    """Write the actor's own archive into `out`, and return the name for it."""
    with database.reading() as session:
        now = database.now(session)
        about = {"kind": "person", "login": actor.login, "made_at": now.isoformat()}
        with ArchiveWriter(out, about=about) as archive:
            for part in _parts(actor.user_id):
                archive.add_rows(session, part)
            archive.add_files(session, _hashes(actor.user_id))
            for submission_id, name in _readable(session, actor):
                with suppress(NotFound):  # the assignment is a draft now: its reports are closed
                    report = report_in(session, actor=actor, submission_id=submission_id, now=now)
                    archive.add_json(f"reports/{name}.json", _report_json(report))
    return f"{actor.login}-data.zip"


def _report_json(report: SubmissionReport) -> JsonObject:
    return {
        "submission": str(report.submission_id),
        "title": report.title,
        "points": plain(report.points),
        "report": None if report.view is None else view_to_json(report.view),
        "notes": plain(asdict(report.notes)),
    }


def _parts(user_id: UUID) -> tuple[Part, ...]:
    conditions: tuple[tuple[str, type[Base], ColumnElement[bool]], ...] = (
        ("person", models.User, models.User.id == user_id),
        ("account", models.Account, models.Account.user_id == user_id),
        ("identities", models.Identity, models.Identity.user_id == user_id),
        ("sessions", models.LoginSession, models.LoginSession.user_id == user_id),
        ("tokens", models.ApiToken, models.ApiToken.user_id == user_id),
        ("memberships", models.Membership, models.Membership.user_id == user_id),
        ("roster", models.RosterEntry, models.RosterEntry.user_id == user_id),
        ("extensions", models.Extension, models.Extension.user_id == user_id),
        ("submissions", models.Submission, models.Submission.user_id == user_id),
        ("submission_files", models.SubmissionFile, models.SubmissionFile.submission_id.in_(_own(user_id))),
        ("choices", models.SubmissionChoice, models.SubmissionChoice.user_id == user_id),
    )
    parts = [
        Part(name=name, query=select(table).where(condition), without=_SECRETS)
        for name, table, condition in conditions
    ]
    said = select(models.Comment).where(models.Comment.author_id == user_id)
    done = select(models.AuditEvent).where(models.AuditEvent.actor_id == user_id)
    return (
        *parts,
        Part(name="comments_written", query=said, without=_OF_OTHERS),
        Part(name="done", query=done.order_by(models.AuditEvent.at), without=_OF_OTHERS),
    )


def _own(user_id: UUID) -> Select[UUID]:
    return select(models.Submission.id).where(models.Submission.user_id == user_id)


def _readable(session: Session, actor: Actor) -> tuple[tuple[UUID, str], ...]:
    """The actor's submissions in courses they are still in, with a name for each report."""
    courses = {seat.course_id: seat.course_slug for seat in seats_of(session, user_id=actor.user_id)}
    rows = session.execute(
        select(models.Submission.id, models.Submission.number, models.Assignment)
        .join(models.Assignment, models.Assignment.id == models.Submission.assignment_id)
        .where(models.Submission.user_id == actor.user_id)
        .order_by(models.Assignment.slug, models.Submission.number)
    )
    return tuple(
        (submission_id, f"{courses[assignment.course_id]}/{assignment.slug}-{number}")
        for submission_id, number, assignment in rows
        if assignment.course_id in courses
    )


def _hashes(user_id: UUID) -> Select[str]:
    return select(models.SubmissionFile.sha256).where(models.SubmissionFile.submission_id.in_(_own(user_id)))
