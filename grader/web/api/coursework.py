"""Courses and assignments as a member has them: reading, looking an upload over, handing in."""

from __future__ import annotations

from typing import Annotated

from fastapi import APIRouter, Header
from pydantic import Field
from starlette.responses import Response

from grader.content.limits import DEFAULT_LIMITS
from grader.services.access import Actor
from grader.services.student.assignments import assignment_page
from grader.services.student.coursework import CourseView, course_for, courses_of
from grader.services.student.handouts import bundle_of, starter_of
from grader.services.student.prechecking import precheck_upload
from grader.services.student.prices import price_tag
from grader.services.submitting import submit
from grader.services.uploads import Upload
from grader.web.addresses import AssignmentSlug, CourseSlug
from grader.web.api.coursework_json import (
    AssignmentDetail,
    Course,
    Membership,
    Precheck,
    Received,
    Submission,
    assignment_detail,
    course_json,
    membership_json,
    precheck_json,
    received_json,
    submission_json,
)
from grader.web.api.schemas import Body
from grader.web.context import WebContext
from grader.web.dependencies import CurrentActor, Db, Web
from grader.web.downloads import attachment
from grader.web.uploading import KEY_PATTERN, SentForm, new_key, typed

router = APIRouter(tags=["coursework"])

IdempotencyKey = Annotated[
    str | None,
    Header(
        pattern=KEY_PATTERN,
        description="The same key again, with the same files, is answered with the same submission.",
    ),
]


class TextFile(Body):
    """One file as text."""

    name: str = Field(min_length=1, max_length=500)
    text: str


class TextFiles(Body):
    """What is handed in, as texts; notebooks are their JSON. Zip archives go to `/uploads`."""

    files: list[TextFile] = Field(min_length=1, max_length=DEFAULT_LIMITS.files)

    def uploads(self) -> tuple[Upload, ...]:
        """The files as they would have been uploaded."""
        return tuple(typed(file.name, file.text) for file in self.files)


@router.get("/courses")
def my_courses(actor: CurrentActor, database: Db) -> list[Membership]:
    """The courses I am a member of."""
    return [membership_json(seat) for seat in courses_of(database, actor=actor)]


@router.get("/courses/{course}")
def my_course(actor: CurrentActor, database: Db, course: CourseSlug) -> Course:
    """A course with its assignments, as I have them."""
    return course_json(course_for(database, actor=actor, course=course))


@router.get("/courses/{course}/assignments/{slug}")
def my_assignment(
    actor: CurrentActor, database: Db, course: CourseSlug, slug: AssignmentSlug
) -> AssignmentDetail:
    """An assignment: lesson, rubric, dates, and whether I may hand in now."""
    found = assignment_page(database, actor=actor, course=course, slug=slug)
    return assignment_detail(found)


@router.get("/courses/{course}/assignments/{slug}/starter", response_class=Response)
def my_starter(actor: CurrentActor, database: Db, course: CourseSlug, slug: AssignmentSlug) -> Response:
    """The starter files and the lesson, as a zip archive."""
    handout = starter_of(database, actor=actor, course=course, slug=slug)
    return attachment(handout.data, name=handout.name, media_type="application/zip")


@router.get("/courses/{course}/assignments/{slug}/bundle", response_class=Response)
def my_bundle(actor: CurrentActor, database: Db, course: CourseSlug, slug: AssignmentSlug) -> Response:
    """Starter, lesson and visible checks, to be run with `grader check`, as a zip archive."""
    handout = bundle_of(database, actor=actor, course=course, slug=slug)
    return attachment(handout.data, name=handout.name, media_type="application/zip")


@router.get("/courses/{course}/assignments/{slug}/submissions")
def my_submissions(
    actor: CurrentActor, database: Db, course: CourseSlug, slug: AssignmentSlug
) -> list[Submission]:
    """My submissions for an assignment, oldest first."""
    item = course_for(database, actor=actor, course=course).item(slug)
    return [submission_json(work, counting=item.counting) for work in item.works]


@router.post("/courses/{course}/assignments/{slug}/check")
def look_over(
    actor: CurrentActor, database: Db, course: CourseSlug, slug: AssignmentSlug, body: TextFiles
) -> Precheck:
    """Look an upload over: does it parse, are the functions there. Runs nothing, costs nothing."""
    found = precheck_upload(database, actor=actor, course=course, slug=slug, uploads=body.uploads())
    return precheck_json(found)


@router.post("/courses/{course}/assignments/{slug}/submissions", status_code=201)
def hand_in_texts(
    actor: CurrentActor,
    database: Db,
    web: Web,
    course: CourseSlug,
    slug: AssignmentSlug,
    body: TextFiles,
    idempotency_key: IdempotencyKey = None,
) -> Received:
    """Hand in texts."""
    view = course_for(database, actor=actor, course=course)
    key = idempotency_key or new_key()
    return _received(web, actor, view, slug=slug, uploads=body.uploads(), key=key)


@router.post("/courses/{course}/assignments/{slug}/uploads", status_code=201)
def hand_in_files(
    actor: CurrentActor,
    database: Db,
    web: Web,
    course: CourseSlug,
    slug: AssignmentSlug,
    sent: SentForm,
) -> Received:
    """Hand in files: Python, a notebook, or a zip. The form's field `key` is its idempotency key."""
    found = assignment_page(database, actor=actor, course=course, slug=slug)
    uploads = sent.uploads(entry=found.entry)
    return _received(web, actor, found.course, slug=slug, uploads=uploads, key=sent.key)


def _received(
    web: WebContext, actor: Actor, course: CourseView, *, slug: str, uploads: tuple[Upload, ...], key: str
) -> Received:
    item = course.item(slug)
    receipt = submit(
        web.database,
        uploads=uploads,
        assignment_id=item.assignment_id,
        user_id=actor.user_id,
        idempotency_key=key,
        secret=web.secret,
    )
    return received_json(
        receipt,
        price=price_tag(course, item, at=receipt.received_at),
        page=web.link(f"/submissions/{receipt.submission_id}"),
    )
