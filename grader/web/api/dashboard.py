"""An assignment at a glance, the health of queues and workers, and a second start for what stranded."""

from __future__ import annotations

from datetime import date, datetime
from typing import Any
from uuid import UUID

from fastapi import APIRouter
from pydantic import Field

from grader.domain.attempts import AttemptState, Lane, Queue
from grader.services.dashboard import AssignmentDashboard, assignment_dashboard
from grader.services.health import MOST_LISTED, health, requeue_stranded
from grader.web.addresses import AssignmentSlug, CourseSlug
from grader.web.api.schemas import Answer, Body
from grader.web.dependencies import CurrentActor, Db, Web
from grader.web.numbers import points

router = APIRouter(tags=["dashboard"])


class Day(Answer):
    """Submissions on one day of the course's calendar."""

    day: date
    count: int


class Band(Answer):
    """Students between two percentages."""

    low: int
    high: int
    count: int


class SlowAttempt(Answer):
    """One of the slowest attempts; `login` is null where names are hidden."""

    submission_id: UUID
    login: str | None
    submission_number: int
    number: int
    seconds: float


class LaneHealth(Answer):
    """One lane of one queue."""

    queue: Queue
    lane: Lane
    queued: int
    running: int
    oldest: datetime | None


class WorkerHealth(Answer):
    """A worker seen lately."""

    name: str
    queue: Queue
    running: int
    seen_at: datetime


class GateHealth(Answer):
    """The gates of one queue; `seen_at` is the last sign of life of one that runs."""

    queue: Queue
    queued: int
    running: int
    oldest: datetime | None
    seen_at: datetime | None


class Stranded(Answer):
    """An attempt that ended without a grade, through no fault of its author's; who that is may be hidden."""

    attempt_id: UUID
    submission_id: UUID
    assignment: str
    login: str | None
    submission_number: int
    number: int
    state: AttemptState
    reason: str
    finished_at: datetime | None


class Health(Answer):
    """How queues and workers are, and what needs a hand."""

    now: datetime
    lanes: list[LaneHealth]
    gates: list[GateHealth]
    workers: list[WorkerHealth]
    stranded: list[Stranded]


class RequeueWanted(Body):
    """Attempts to be queued again; all that stranded where none is named."""

    attempt_ids: list[UUID] = Field(default=[], max_length=MOST_LISTED)


class Requeued(Answer):
    """How many attempts are queued again."""

    requeued: int


@router.get("/courses/{course}/assignments/{slug}/dashboard", response_model=None)
def at_a_glance(
    actor: CurrentActor, database: Db, course: CourseSlug, slug: AssignmentSlug
) -> dict[str, Any]:
    """Submissions over time, scores, failing criteria, the commonest failures, the slowest attempts."""
    return dashboard_json(assignment_dashboard(database, actor=actor, course=course, slug=slug))


@router.get("/courses/{course}/health")
def how_things_are(actor: CurrentActor, database: Db, web: Web, course: CourseSlug) -> Health:
    """Queues, workers, and attempts that need a hand."""
    found = health(database, actor=actor, course=course, policy=web.settings.policy)
    return Health.model_validate(found)


@router.post("/courses/{course}/requeue")
def start_again(actor: CurrentActor, database: Db, course: CourseSlug, body: RequeueWanted) -> Requeued:
    """Queue stranded attempts again."""
    count = requeue_stranded(database, actor=actor, course=course, attempt_ids=body.attempt_ids)
    return Requeued(requeued=count)


def dashboard_json(found: AssignmentDashboard) -> dict[str, Any]:
    """A dashboard for programs."""
    return {
        "assignment": found.slug,
        "title": found.title,
        "students": found.students,
        "started": found.started,
        "submissions": found.submissions,
        "ungraded": found.ungraded,
        "days": [Day.model_validate(item).model_dump(mode="json") for item in found.days],
        "scores": [Band.model_validate(item).model_dump(mode="json") for item in found.bands],
        "criteria": [
            {
                "id": item.criterion_id,
                "failed": item.failed,
                "judged": item.judged,
                "rate": points(item.rate),
            }
            for item in found.criteria
        ],
        "clusters": [
            {
                "key": item.key,
                "check_id": item.check_id,
                "code": item.code,
                "shape": item.shape,
                "submissions": [str(member.submission_id) for member in item.members],
            }
            for item in found.clusters
        ],
        "slowest": [SlowAttempt.model_validate(item).model_dump(mode="json") for item in found.slowest],
    }
