"""An assignment's dates and rules, releasing grades, extensions."""

from __future__ import annotations

from datetime import datetime
from fractions import Fraction
from typing import Annotated
from uuid import UUID

from fastapi import APIRouter
from pydantic import AwareDatetime, Field

from grader.domain.scheduling import Counting, LateRule, Schedule
from grader.services.extending import LONGEST_REASON, extensions, grant_extension, revoke_extension
from grader.services.scheduling import (
    LONGEST_COOLDOWN_S,
    MOST_SUBMISSIONS,
    ScheduleView,
    change_schedule,
    release_grades,
    schedule_for,
    take_grades_back,
)
from grader.web.addresses import AssignmentSlug, CourseSlug
from grader.web.api.courses import Version
from grader.web.api.schemas import Answer, Body
from grader.web.dependencies import CurrentActor, Db
from grader.web.numbers import points

router = APIRouter(tags=["scheduling"])

Share = Annotated[float, Field(ge=0, le=1, allow_inf_nan=False)]


class Dates(Answer):
    """Dates (UTC) and rules of an assignment; null does not restrict."""

    draft: bool
    opens_at: datetime | None
    due_at: datetime | None
    closes_at: datetime | None
    late_rule: LateRule
    late_share_per_day: float
    uses_grace_days: bool
    submission_limit: int | None
    cooldown_s: int
    counting: Counting
    released_at: datetime | None
    timezone: str
    version: int


class DatesWanted(Body):
    """Dates and rules to be set; what is left out does not restrict."""

    version: Version
    draft: bool = False
    opens_at: AwareDatetime | None = None
    due_at: AwareDatetime | None = None
    closes_at: AwareDatetime | None = None
    late_rule: LateRule = LateRule.NOTHING
    late_share_per_day: Share = 0.0
    uses_grace_days: bool = False
    submission_limit: int | None = Field(default=None, ge=1, le=MOST_SUBMISSIONS)
    cooldown_s: int = Field(default=0, ge=0, le=LONGEST_COOLDOWN_S)
    counting: Counting = Counting.BEST

    def schedule(self) -> Schedule:
        """As services take it. A share is what its shortest decimal says: 0.1 is a tenth exactly."""
        return Schedule(
            draft=self.draft,
            opens_at=self.opens_at,
            due_at=self.due_at,
            closes_at=self.closes_at,
            late_rule=self.late_rule,
            per_day=Fraction(str(self.late_share_per_day)),
            uses_grace=self.uses_grace_days,
            submission_limit=self.submission_limit,
            cooldown_s=self.cooldown_s,
            counting=self.counting,
        )


class Seen(Body):
    """The version that was looked at."""

    version: Version


class Extension(Answer):
    """More time for one student."""

    id: UUID
    login: str
    name: str
    due_at: datetime
    closes_at: datetime | None
    reason: str
    granted_by: str | None
    granted_at: datetime
    revoked_at: datetime | None


class ExtensionWanted(Body):
    """More time to be granted."""

    login: str = Field(max_length=200)
    due_at: AwareDatetime
    closes_at: AwareDatetime | None = None
    reason: str = Field(min_length=1, max_length=LONGEST_REASON)


@router.get("/courses/{course}/assignments/{slug}/schedule")
def dates(actor: CurrentActor, database: Db, course: CourseSlug, slug: AssignmentSlug) -> Dates:
    """An assignment's dates and rules."""
    return dates_json(schedule_for(database, actor=actor, course=course, slug=slug))


@router.put("/courses/{course}/assignments/{slug}/schedule")
def change_dates(
    actor: CurrentActor, database: Db, course: CourseSlug, slug: AssignmentSlug, body: DatesWanted
) -> Dates:
    """Set an assignment's dates and rules."""
    changed = change_schedule(
        database, actor=actor, course=course, slug=slug, seen=body.version, schedule=body.schedule()
    )
    return dates_json(changed)


@router.post("/courses/{course}/assignments/{slug}/release")
def release(actor: CurrentActor, database: Db, course: CourseSlug, slug: AssignmentSlug, body: Seen) -> Dates:
    """Release the grades of an assignment."""
    return dates_json(release_grades(database, actor=actor, course=course, slug=slug, seen=body.version))


@router.post("/courses/{course}/assignments/{slug}/take-back")
def take_back(
    actor: CurrentActor, database: Db, course: CourseSlug, slug: AssignmentSlug, body: Seen
) -> Dates:
    """Take released grades back."""
    return dates_json(take_grades_back(database, actor=actor, course=course, slug=slug, seen=body.version))


@router.get("/courses/{course}/assignments/{slug}/extensions")
def granted(actor: CurrentActor, database: Db, course: CourseSlug, slug: AssignmentSlug) -> list[Extension]:
    """The extensions of an assignment, newest first."""
    found = extensions(database, actor=actor, course=course, slug=slug)
    return [Extension.model_validate(item) for item in found]


@router.post("/courses/{course}/assignments/{slug}/extensions", status_code=201)
def grant(
    actor: CurrentActor, database: Db, course: CourseSlug, slug: AssignmentSlug, body: ExtensionWanted
) -> Extension:
    """Grant one student more time."""
    made = grant_extension(
        database,
        actor=actor,
        course=course,
        slug=slug,
        login=body.login,
        due_at=body.due_at,
        closes_at=body.closes_at,
        reason=body.reason,
    )
    return Extension.model_validate(made)


@router.delete("/courses/{course}/extensions/{extension_id}", status_code=204)
def take_extension_back(actor: CurrentActor, database: Db, course: CourseSlug, extension_id: UUID) -> None:
    """Take an extension back."""
    revoke_extension(database, actor=actor, course=course, extension_id=extension_id)


def dates_json(view: ScheduleView) -> Dates:
    """A schedule for programs."""
    schedule = view.schedule
    return Dates(
        draft=schedule.draft,
        opens_at=schedule.opens_at,
        due_at=schedule.due_at,
        closes_at=schedule.closes_at,
        late_rule=schedule.late_rule,
        late_share_per_day=points(schedule.per_day),
        uses_grace_days=schedule.uses_grace,
        submission_limit=schedule.submission_limit,
        cooldown_s=schedule.cooldown_s,
        counting=schedule.counting,
        released_at=schedule.released_at,
        timezone=view.zone.key,
        version=view.version,
    )
