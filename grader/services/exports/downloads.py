"""What instructors download: grades in some form."""

from __future__ import annotations

from collections.abc import Collection

from sqlalchemy.orm import Session

from grader.db.database import Database
from grader.domain.errors import InvalidInput
from grader.domain.text import listing, one_line
from grader.services.access import Actor, Seat, seat_in
from grader.services.exports.canvas import Unmatched, canvas_csv, unmatched
from grader.services.exports.files import ExportedFile
from grader.services.exports.grades import WRITERS, only
from grader.services.exports.recording import export_made
from grader.services.gradebook import gradebook_of

CANVAS = "canvas"
KINDS = (*WRITERS, CANVAS)


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
        export_made(session, seat, actor=actor, kind=kind, at=database.now(session))
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


def _instructor(session: Session, *, actor: Actor, course: str) -> Seat:
    return seat_in(session, course=course, user_id=actor.user_id).require_instructor()
