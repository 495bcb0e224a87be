"""The course's dashboard, and an assignment's results at a glance."""

from __future__ import annotations

from datetime import datetime
from typing import Annotated
from uuid import UUID

from fastapi import APIRouter, Form, Request
from starlette.responses import Response

from grader.domain.errors import Conflict, InvalidInput
from grader.domain.moments import duration_words
from grader.presentation.charts import bar_chart
from grader.services.dashboard import assignment_dashboard
from grader.services.gradebook import columns_of
from grader.services.health import health, requeue_stranded
from grader.services.schedules import schedules_of
from grader.services.versions import assignment_ids
from grader.web.addresses import AssignmentSlug, CourseSlug
from grader.web.dependencies import CurrentActor, Db, Web
from grader.web.instructor_forms import RequeueForm
from grader.web.rendering import page, see_other

router = APIRouter(prefix="/courses/{course}")


@router.get("/dashboard")
def course_dashboard(
    request: Request, actor: CurrentActor, database: Db, web: Web, course: CourseSlug
) -> Response:
    """Queues, workers, what needs a hand, and the way to each assignment's results."""
    found = health(database, actor=actor, course=course, policy=web.settings.policy)
    with database.reading() as session:
        schedules = schedules_of(session, assignment_ids(session, found.seat.course_id))
        columns = columns_of(session, found.seat, schedules)

    def ago(moment: datetime) -> str:
        return duration_words(found.now - moment)

    return page(request, "instructor/dashboard.html", seat=found.seat, health=found, columns=columns, ago=ago)


@router.post("/dashboard/requeue")
def requeue(
    request: Request,
    actor: CurrentActor,
    database: Db,
    course: CourseSlug,
    form: Annotated[RequeueForm, Form()],
) -> Response:
    """Queue one stranded attempt again, or all of them."""
    try:
        chosen = (UUID(form.attempt_id),) if form.attempt_id else ()
    except ValueError as error:
        raise InvalidInput("attempt", "that is no attempt's number.") from error
    try:
        count = requeue_stranded(database, actor=actor, course=course, attempt_ids=chosen)
        flash = f"Queued again: {count}."
    except Conflict as error:
        flash = str(error)
    return see_other(f"/courses/{course}/dashboard", request=request, flash=flash)


@router.get("/assignments/{slug}/results")
def results(
    request: Request, actor: CurrentActor, database: Db, course: CourseSlug, slug: AssignmentSlug
) -> Response:
    """Submissions over time, scores, failing criteria, like failures, slow attempts."""
    found = assignment_dashboard(database, actor=actor, course=course, slug=slug)
    return page(
        request,
        "instructor/results.html",
        seat=found.seat,
        found=found,
        days=bar_chart([(f"{item.day:%d %b}", item.count) for item in found.days]),
        scores=bar_chart([(f"{item.low}-{item.high}", item.count) for item in found.bands]),
    )
