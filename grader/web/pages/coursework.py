"""A student's pages before handing in: their courses, a course, an assignment, a look over, handing in."""

from __future__ import annotations

from collections.abc import Sequence

from fastapi import APIRouter, Request
from starlette.responses import Response

from grader.content.decoding import decode_source
from grader.domain.errors import GraderError, SubmissionClosed, TooManyRequests, UploadRefused
from grader.domain.ledger import deadline_ledger
from grader.domain.moments import duration_words
from grader.presentation.ledgers import ledger_text
from grader.presentation.lesson import lesson_body
from grader.presentation.rules import COUNTING_WORDS, late_text, limit_text
from grader.services.publication.requests import running_gates
from grader.services.student.assignments import AssignmentPage, assignment_page
from grader.services.student.coursework import course_for, courses_of
from grader.services.student.handouts import bundle_of, starter_of
from grader.services.student.prechecking import Precheck, precheck_upload
from grader.services.submitting import submit
from grader.services.uploads import Upload
from grader.web.addresses import AssignmentSlug, CourseSlug
from grader.web.dependencies import CurrentActor, Db, Web
from grader.web.downloads import attachment
from grader.web.errors import problem_of
from grader.web.rendering import fragment, page, see_other
from grader.web.uploading import SentForm, new_key

router = APIRouter()

MOST_SHOWN_AGAIN = 200_000
"""Characters of a file that the page gives back in its text box after a look over."""


@router.get("/")
def home(request: Request, actor: CurrentActor, database: Db) -> Response:
    """The courses one is a member of."""
    return page(request, "student/home.html", courses=courses_of(database, actor=actor))


@router.get("/courses/{course}")
def course_page(request: Request, actor: CurrentActor, database: Db, course: CourseSlug) -> Response:
    """A course: what is open, until when, and what one has."""
    view = course_for(database, actor=actor, course=course)
    return page(
        request,
        "student/course.html",
        gates=running_gates(database, actor=actor, course=course) if view.seat.staff else (),
        seat=view.seat,
        view=view,
        late_text=late_text,
        counting_words=COUNTING_WORDS,
    )


@router.get("/courses/{course}/assignments/{slug}")
def assignment(
    request: Request, actor: CurrentActor, database: Db, course: CourseSlug, slug: AssignmentSlug
) -> Response:
    """An assignment: its lesson, its rubric, its dates, and where to hand in."""
    return _assignment(request, assignment_page(database, actor=actor, course=course, slug=slug))


@router.get("/courses/{course}/assignments/{slug}/starter")
def starter(actor: CurrentActor, database: Db, course: CourseSlug, slug: AssignmentSlug) -> Response:
    """The starter files and the lesson, as a zip archive."""
    handout = starter_of(database, actor=actor, course=course, slug=slug)
    return attachment(handout.data, name=handout.name, media_type="application/zip")


@router.get("/courses/{course}/assignments/{slug}/bundle")
def bundle(actor: CurrentActor, database: Db, course: CourseSlug, slug: AssignmentSlug) -> Response:
    """Starter, lesson and visible checks, to be run with `grader check`, as a zip archive."""
    handout = bundle_of(database, actor=actor, course=course, slug=slug)
    return attachment(handout.data, name=handout.name, media_type="application/zip")


@router.post("/courses/{course}/assignments/{slug}/check")
def check(
    request: Request,
    actor: CurrentActor,
    database: Db,
    course: CourseSlug,
    slug: AssignmentSlug,
    sent: SentForm,
) -> Response:
    """Look an upload over; nothing is handed in. For HTMX the answer is the finding alone."""
    found: Precheck | None = None
    problem = ""
    uploads: tuple[Upload, ...] = ()
    view = assignment_page(database, actor=actor, course=course, slug=slug)
    try:
        uploads = sent.uploads(entry=view.entry)
        found = precheck_upload(database, actor=actor, course=course, slug=slug, uploads=uploads)
    except UploadRefused as error:
        problem = str(error)
    if request.headers.get("hx-request"):
        return fragment("student/_precheck.html", precheck=found, problem=problem)
    return _assignment(
        request,
        view,
        precheck=found,
        unreadable=problem,
        text=_shown_again(uploads, sent.text),
        status_code=422 if problem else 200,
    )


@router.post("/courses/{course}/assignments/{slug}/submit")
def hand_in(
    request: Request,
    actor: CurrentActor,
    database: Db,
    web: Web,
    course: CourseSlug,
    slug: AssignmentSlug,
    sent: SentForm,
) -> Response:
    """Hand in; the same form sent twice leads to the same submission."""
    view = assignment_page(database, actor=actor, course=course, slug=slug)
    try:
        receipt = submit(
            database,
            uploads=sent.uploads(entry=view.entry),
            assignment_id=view.item.assignment_id,
            user_id=actor.user_id,
            idempotency_key=sent.key,
            secret=web.secret,
        )
    except (UploadRefused, SubmissionClosed, TooManyRequests) as error:
        return _refused(request, view, error, text=sent.text)
    flash = "" if receipt.repeated else f"Submission {receipt.number} was received. Its receipt is below."
    return see_other(f"/submissions/{receipt.submission_id}", request=request, flash=flash)


def _refused(request: Request, view: AssignmentPage, error: GraderError, *, text: str) -> Response:
    return _assignment(request, view, refused=str(error), text=text, status_code=problem_of(error).status)


def _assignment(
    request: Request,
    view: AssignmentPage,
    *,
    precheck: Precheck | None = None,
    unreadable: str = "",
    refused: str = "",
    text: str = "",
    status_code: int = 200,
) -> Response:
    item = view.item
    ledger = deadline_ledger(item.schedule, item.allowance, view.seat.zone)
    due_at = item.deadline.due_at
    return page(
        request,
        "student/assignment.html",
        status_code=status_code,
        seat=view.seat,
        view=view,
        item=item,
        turn=view.turn,
        lesson=lesson_body(view.lesson, under=1),
        ledger=[ledger_text(line, view.seat.zone) for line in ledger],
        late=late_text(item.schedule),
        limit=limit_text(item.schedule),
        counting=COUNTING_WORDS[item.schedule.counting],
        left=duration_words(due_at - view.turn.at) if due_at and not view.turn.past_due else "",
        precheck=precheck,
        problem=unreadable,
        refused=refused,
        text=text,
        key=new_key(),
    )


def _shown_again(uploads: Sequence[Upload], text: str) -> str:
    """What the text box holds after a look over: a page cannot give a file back to its picker."""
    if len(uploads) != 1 or not uploads[0].name.lower().endswith(".py"):
        return text
    try:
        found = decode_source(uploads[0].data, name=uploads[0].name).text
    except UploadRefused:
        return text
    return found if len(found) <= MOST_SHOWN_AGAIN else text
