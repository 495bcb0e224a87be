"""What instructors download: grades in some form, and results for Gradescope."""

from __future__ import annotations

import io
import json
import re
from collections.abc import Collection
from fractions import Fraction
from uuid import UUID

from sqlalchemy import select
from sqlalchemy.orm import Session

from grader.db import models
from grader.db.database import Database
from grader.domain.errors import Conflict, InvalidInput
from grader.domain.stored import load
from grader.domain.strict_json import JsonObject
from grader.domain.text import listing, one_line
from grader.services.access import Actor, Seat, assignment_in, seat_in, submission_for
from grader.services.auditing import Action, Subject, record
from grader.services.counting import Scope, WorkOf, graded_works
from grader.services.exports.archive import ArchiveWriter
from grader.services.exports.canvas import Unmatched, canvas_csv, unmatched
from grader.services.exports.files import ZIP_TYPE, ExportedFile
from grader.services.exports.grades import WRITERS, only
from grader.services.exports.gradescope import results_json
from grader.services.gradebook import gradebook_of
from grader.services.uploads import load_uploads, read, wanted_by

CANVAS = "canvas"
KINDS = (*WRITERS, CANVAS)
_UNSAFE = re.compile(r"[^A-Za-z0-9._@+-]")


def grades_file(
    database: Database,
    *,
    actor: Actor,
    course: str,
    kind: str,
    assignments: Collection[str] = (),
    section: str | None = None,
    own_export: bytes | None = None,
) -> ExportedFile:
    """A course's grades in one of `KINDS`; for instructors.

    `assignments` are slugs, all where empty. `own_export` is the gradebook as Canvas exports it.
    """
    if kind not in KINDS:
        raise InvalidInput(
            "kind", f"{one_line(kind, 40)!r} is no form of export.", f"One of {listing(KINDS)}."
        )
    with database.writing() as session:
        seat = _instructor(session, actor=actor, course=course)
        book = only(gradebook_of(session, seat, section=section), assignments)
        _recorded(session, seat, actor=actor, database=database, kind=kind)
    if kind == CANVAS:
        return canvas_csv(book, own_export=own_export)
    return WRITERS[kind](book)


def canvas_unmatched(
    database: Database,
    *,
    actor: Actor,
    course: str,
    own_export: bytes,
    assignments: Collection[str] = (),
    section: str | None = None,
) -> Unmatched:
    """What an export for Canvas with these identities would not reach; nothing is exported by it."""
    with database.reading() as session:
        seat = _instructor(session, actor=actor, course=course)
        book = only(gradebook_of(session, seat, section=section), assignments)
    return unmatched(book, own_export=own_export)


def submission_results(database: Database, *, actor: Actor, submission_id: UUID) -> JsonObject:
    """One submission's `results.json`, of the attempt that counts; for staff."""
    with database.reading() as session:
        found = submission_for(session, submission_id=submission_id, user_id=actor.user_id)
        found.seat.require_staff()
        works = graded_works(session, Scope(submission_ids=[submission_id]))
        return _results(session, works[0])


def assignment_results(database: Database, *, actor: Actor, course: str, slug: str) -> ExportedFile:
    """A zip with the `results.json` of every graded submission of an assignment; for instructors."""
    out = io.BytesIO()
    with database.writing() as session:
        seat = _instructor(session, actor=actor, course=course)
        assignment = assignment_in(session, seat, slug=slug, now=database.now(session))
        _recorded(session, seat, actor=actor, database=database, kind="gradescope")
    with database.reading() as session:
        archive = ArchiveWriter(out, about={"kind": "gradescope", "course": course, "assignment": slug})
        logins = {
            row.id: row.login
            for row in session.execute(
                select(models.User.id, models.User.login)
                .join(models.Submission, models.Submission.user_id == models.User.id)
                .where(models.Submission.assignment_id == assignment.id)
            )
        }
        for item in graded_works(session, Scope(assignment_id=assignment.id)):
            if item.attempt_id is not None:
                name = f"{_folder(logins[item.user_id])}-{item.work.number}/results.json"
                archive.add(name, json.dumps(_results(session, item), indent=2, allow_nan=False).encode())
        archive.close()
    return ExportedFile(name=f"{course}-{slug}-gradescope.zip", media_type=ZIP_TYPE, data=out.getvalue())


def _results(session: Session, item: WorkOf) -> JsonObject:
    if item.attempt_id is None:
        raise Conflict("this submission is not graded yet.")
    attempt, manifest = session.execute(
        select(models.Attempt, models.AssignmentVersion.manifest)
        .join(models.AssignmentVersion, models.AssignmentVersion.id == models.Attempt.version_id)
        .where(models.Attempt.id == item.attempt_id)
    ).one()
    wanted = wanted_by(manifest)
    source = read(
        load_uploads(session, item.work.submission_id), entry=wanted.entry, functions=wanted.functions
    )
    return results_json(load(attempt.result), points=item.work.points or Fraction(0), source=source)


def _folder(login: str) -> str:
    """A login as the name of a folder in an archive: it leads nowhere else."""
    return _UNSAFE.sub("_", login).lstrip(".") or "_"


def _instructor(session: Session, *, actor: Actor, course: str) -> Seat:
    return seat_in(session, course=course, user_id=actor.user_id).require_instructor()


def _recorded(session: Session, seat: Seat, *, actor: Actor, database: Database, kind: str) -> None:
    record(
        session,
        Action.EXPORT_MADE,
        subject=Subject.COURSE,
        subject_id=seat.course_id,
        at=database.now(session),
        actor_id=actor.user_id,
        data={"kind": kind},
    )
