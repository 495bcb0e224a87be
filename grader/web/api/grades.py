"""The gradebook, students' records, and what can be taken out of a course."""

from __future__ import annotations

from functools import partial
from typing import Annotated, Any
from uuid import UUID

from fastapi import APIRouter, File, Path, Query, UploadFile
from starlette.responses import Response

from grader.content.tables import MOST_BYTES
from grader.domain.standing import Standing
from grader.presentation.ledgers import ledger_text
from grader.services.exports.course_archive import write_course_archive
from grader.services.exports.downloads import (
    CANVAS,
    KINDS,
    canvas_unmatched,
    grades_file,
)
from grader.services.exports.files import ZIP_TYPE, ExportedFile
from grader.services.exports.gradescope_archive import submission_results, write_assignment_results
from grader.services.exports.person_archive import write_person_archive
from grader.services.gradebook import Gradebook, GradebookRow, SortKey, Student, gradebook
from grader.services.student_record import AssignmentRecord, StudentRecord, student_record
from grader.web.addresses import AssignmentSlug, CourseSlug
from grader.web.api.courses import Login
from grader.web.api.schemas import Answer
from grader.web.dependencies import CurrentActor, Db
from grader.web.downloads import attachment, written
from grader.web.files import bytes_of, optional_bytes
from grader.web.numbers import points

router = APIRouter(tags=["grades"])

Section = Annotated[str | None, Query(max_length=200, description="Only the students of this section.")]
Kind = Annotated[str, Path(pattern=f"^({'|'.join(KINDS)})$", description="The form of the export.")]
Slugs = Annotated[
    list[str] | None,
    Query(alias="assignment", max_length=200, description="Only these assignments; all where none is named."),
]


class CanvasUnmatched(Answer):
    """What Canvas's own export and the gradebook do not have in common: logins, names, titles."""

    not_in_canvas: list[str]
    only_in_canvas: list[str]
    new_assignments: list[str]


@router.get("/courses/{course}/gradebook", response_model=None)
def grades(
    actor: CurrentActor,
    database: Db,
    course: CourseSlug,
    section: Section = None,
    sort: Annotated[str, Query(max_length=100)] = SortKey.NAME.value,
    *,
    descending: bool = False,
) -> dict[str, Any]:
    """Who has how many points in what."""
    found = gradebook(database, actor=actor, course=course, section=section, sort=sort, descending=descending)
    return gradebook_json(found)


@router.get("/courses/{course}/students/{login}", response_model=None)
def record(actor: CurrentActor, database: Db, course: CourseSlug, login: Login) -> dict[str, Any]:
    """A student's record: what counts, how it came about, what staff changed."""
    return record_json(student_record(database, actor=actor, course=course, login=login))


@router.get("/courses/{course}/exports/{kind}", response_class=Response)
def export(
    actor: CurrentActor,
    database: Db,
    course: CourseSlug,
    kind: Kind,
    section: Section = None,
    assignment: Slugs = None,
) -> Response:
    """Grades as a file: for people (gradebook), Canvas, Moodle, or nbgrader's tools."""
    made = grades_file(
        database, actor=actor, course=course, kind=kind, section=section, assignments=assignment or ()
    )
    return file_response(made)


@router.post("/courses/{course}/exports/canvas", response_class=Response)
def export_for_canvas(
    actor: CurrentActor,
    database: Db,
    course: CourseSlug,
    file: Annotated[UploadFile | None, File(description="The gradebook as Canvas exports it.")] = None,
    section: Section = None,
    assignment: Slugs = None,
) -> Response:
    """Grades for Canvas, with the identities and titles of the course's own export."""
    own = optional_bytes(file, most=MOST_BYTES, field="canvas export")
    made = grades_file(
        database,
        actor=actor,
        course=course,
        kind=CANVAS,
        section=section,
        assignments=assignment or (),
        own_export=own,
    )
    return file_response(made)


@router.post("/courses/{course}/exports/canvas/unmatched")
def unmatched(
    actor: CurrentActor,
    database: Db,
    course: CourseSlug,
    file: Annotated[UploadFile | None, File(description="The gradebook as Canvas exports it.")] = None,
    section: Section = None,
    assignment: Slugs = None,
) -> CanvasUnmatched:
    """Whom and what an export with these identities would not reach; nothing is exported."""
    found = canvas_unmatched(
        database,
        actor=actor,
        course=course,
        own_export=bytes_of(file, most=MOST_BYTES, field="canvas export"),
        assignments=assignment or (),
        section=section,
    )
    return CanvasUnmatched.model_validate(found)


@router.get("/courses/{course}/archive", response_class=Response)
def archive(actor: CurrentActor, database: Db, course: CourseSlug) -> Response:
    """The whole course as one archive."""
    return written(partial(write_course_archive, database, actor=actor, course=course), media_type=ZIP_TYPE)


@router.get("/courses/{course}/assignments/{slug}/gradescope", response_class=Response)
def gradescope(actor: CurrentActor, database: Db, course: CourseSlug, slug: AssignmentSlug) -> Response:
    """Gradescope's `results.json` of every graded submission of an assignment, in a zip."""
    results = partial(write_assignment_results, database, actor=actor, course=course, slug=slug)
    return written(results, media_type=ZIP_TYPE)


@router.get("/submissions/{submission_id}/results.json", response_model=None)
def results(actor: CurrentActor, database: Db, submission_id: UUID) -> dict[str, Any]:
    """One submission's `results.json` for Gradescope."""
    return submission_results(database, actor=actor, submission_id=submission_id)


@router.get("/me/data", response_class=Response)
def my_data(actor: CurrentActor, database: Db) -> Response:
    """Everything that is held about me, as an archive."""
    return written(partial(write_person_archive, database, actor=actor), media_type=ZIP_TYPE)


def file_response(made: ExportedFile) -> Response:
    """An exported file as a download."""
    return attachment(made.data, name=made.name, media_type=made.media_type)


def gradebook_json(book: Gradebook) -> dict[str, Any]:
    """A gradebook for programs; cells by the assignment's slug."""
    return {
        "course": book.seat.course_slug,
        "assignments": [
            {
                "slug": column.slug,
                "title": column.title,
                "max_score": points(column.max_score),
                "due_at": column.schedule.due_at.isoformat() if column.schedule.due_at else None,
                "released": column.schedule.released_at is not None,
            }
            for column in book.columns
        ],
        "max_total": points(book.max_total),
        "sections": list(book.sections),
        "students": [_row(book, row) for row in book.rows],
    }


def _row(book: Gradebook, row: GradebookRow) -> dict[str, Any]:
    cells = {column.slug: _standing(cell) for column, cell in zip(book.columns, row.cells, strict=True)}
    return {**_student(row.student), "total": points(row.total), "cells": cells}


def _student(student: Student) -> dict[str, Any]:
    return {
        "login": student.login,
        "name": student.name,
        "email": student.email,
        "student_number": student.student_number,
        "section": student.section,
        "extra_days": student.extra_days,
    }


def _standing(cell: Standing) -> dict[str, Any]:
    work = cell.work
    return {
        "points": points(cell.points),
        "submission_id": None if work is None else str(work.submission_id),
        "submission": None if work is None else work.number,
        "raw_points": None if work is None else points(work.points),
        "adjusted_by": 0.0 if work is None else points(work.adjusted_by),
        "days_late": cell.lateness.days_late,
        "grace_days": cell.lateness.grace_days,
        "penalty": points(cell.lateness.penalty),
    }


def record_json(record: StudentRecord) -> dict[str, Any]:
    """A student's record for programs."""
    return {
        **_student(record.student),
        "total": points(record.total),
        "grace_days": record.grace_days,
        "grace_left": record.grace_left,
        "assignments": [_assignment(item, record) for item in record.assignments],
    }


def _assignment(item: AssignmentRecord, record: StudentRecord) -> dict[str, Any]:
    return {
        "slug": item.column.slug,
        "title": item.column.title,
        "max_score": points(item.column.max_score),
        **_standing(item.standing),
        "ledger": [ledger_text(line, record.seat.zone) for line in item.ledger],
        "submissions": [
            {
                "id": str(work.submission_id),
                "number": work.number,
                "received_at": work.received_at.isoformat(),
                "points": points(work.points),
            }
            for work in item.submissions
        ],
        "overrides": [
            {
                "submission": change.submission_number,
                "kind": change.kind.value,
                "check_id": change.check_id,
                "points": points(change.points),
                "reason": change.reason,
                "author": change.author,
                "created_at": change.created_at.isoformat(),
                "revoked": change.revoked,
            }
            for change in item.overrides
        ],
    }
