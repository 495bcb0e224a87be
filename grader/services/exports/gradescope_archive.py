"""An assignment's results for Gradescope: a zip with the `results.json` of every graded submission."""

from __future__ import annotations

import re
from collections.abc import Mapping
from fractions import Fraction
from typing import IO
from uuid import UUID

from sqlalchemy import select
from sqlalchemy.orm import Session

from grader.db import models
from grader.db.database import Database
from grader.domain.errors import Conflict
from grader.domain.stored import load
from grader.domain.strict_json import JsonObject
from grader.services.access import Actor, assignment_in, seat_in, submission_for
from grader.services.counting import Scope, WorkOf, graded_works
from grader.services.exports.archive import ArchiveWriter
from grader.services.exports.gradescope import results_json
from grader.services.exports.recording import export_made
from grader.services.uploads import load_uploads, read, wanted_by

_UNSAFE = re.compile(r"[^A-Za-z0-9._@+-]")


def submission_results(database: Database, *, actor: Actor, submission_id: UUID) -> JsonObject:
    """One submission's `results.json`, of the attempt that counts; for staff."""
    with database.reading() as session:
        found = submission_for(session, submission_id=submission_id, user_id=actor.user_id)
        found.seat.require_staff()
        works = graded_works(session, Scope(submission_ids=[submission_id]))
        return _results(session, works[0])


def write_assignment_results(
    database: Database, out: IO[bytes], *, actor: Actor, course: str, slug: str
) -> str:
    """Write the results of an assignment into `out`, and return the name for it; for instructors."""
    with database.writing() as session:
        now = database.now(session)
        seat = seat_in(session, course=course, user_id=actor.user_id).require_instructor()
        assignment = assignment_in(session, seat, slug=slug, now=now)
        export_made(session, seat, actor=actor, kind="gradescope", at=now)
    about = {"kind": "gradescope", "course": course, "assignment": slug}
    with database.reading() as session, ArchiveWriter(out, about=about) as archive:
        logins = _logins(session, assignment.id)
        for item in graded_works(session, Scope(assignment_id=assignment.id)):
            if item.attempt_id is not None:
                name = f"{_folder(logins[item.user_id])}-{item.work.number}/results.json"
                archive.add_json(name, _results(session, item))
    return f"{course}-{slug}-gradescope.zip"


def _logins(session: Session, assignment_id: UUID) -> Mapping[UUID, str]:
    query = (
        select(models.User.id, models.User.login)
        .join(models.Submission, models.Submission.user_id == models.User.id)
        .where(models.Submission.assignment_id == assignment_id)
    )
    return {row.id: row.login for row in session.execute(query)}


def _results(session: Session, item: WorkOf) -> JsonObject:
    if item.attempt_id is None:
        raise Conflict("this submission is not graded yet.")
    result, manifest = session.execute(
        select(models.Attempt.result, models.AssignmentVersion.manifest)
        .join(models.AssignmentVersion, models.AssignmentVersion.id == models.Attempt.version_id)
        .where(models.Attempt.id == item.attempt_id)
    ).one()
    wanted = wanted_by(manifest)
    source = read(
        load_uploads(session, item.work.submission_id), entry=wanted.entry, functions=wanted.functions
    )
    return results_json(load(result), points=item.work.points or Fraction(0), source=source)


def _folder(login: str) -> str:
    """A login as the name of a folder in an archive: it leads nowhere else."""
    return _UNSAFE.sub("_", login).lstrip(".") or "_"
