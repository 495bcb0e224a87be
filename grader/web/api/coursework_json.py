"""How the API tells of courses, assignments and uploads, made of what services return."""

from __future__ import annotations

from datetime import datetime
from uuid import UUID

from pydantic import Field

from grader.domain.people import Role
from grader.domain.scheduling import Counting, LateRule
from grader.domain.view import HiddenChecks
from grader.presentation.ledgers import NOW, THEN
from grader.services.access import Seat
from grader.services.student import prechecking
from grader.services.student.assignments import AssignmentPage
from grader.services.student.coursework import CourseView, Coursework
from grader.services.student.points import VisibleWork
from grader.services.student.prices import PriceTag
from grader.services.submitting import Receipt
from grader.services.turns import Turn
from grader.web.api.schemas import Answer
from grader.web.numbers import points
from grader.web.prices import price_words


class Membership(Answer):
    """A course that I am a member of."""

    slug: str
    title: str
    timezone: str
    role: Role


class Hidden(Answer):
    """Checks that are not open to me: when they open, how many they are, what they are worth."""

    opens: str
    count: int
    points: float


class Assignment(Answer):
    """An assignment as I have it. `points` of `worth` are those of open checks; null while nothing is graded.

    `worth` goes by the version that graded what counts so far, `max_score` and `open_score` by the newest.
    """

    slug: str
    title: str
    opens_at: datetime | None
    due_at: datetime | None
    closes_at: datetime | None
    extended: bool
    closed: bool
    draft: bool
    released: bool
    late_rule: LateRule
    late_share_per_day: float
    uses_grace_days: bool
    counting: Counting
    submission_limit: int | None
    cooldown_s: int
    max_score: float
    open_score: float
    hidden: list[Hidden]
    points: float | None
    worth: float
    days_late: int
    penalty: float
    counts: UUID | None = Field(description="The submission that counts so far, by its open checks.")
    submissions: int


class Course(Answer):
    """A course as I have it."""

    slug: str
    title: str
    timezone: str
    role: Role
    archived: bool
    grace_days: int
    grace_days_left: int
    assignments: list[Assignment]


class Check(Answer):
    """A check that is open to me."""

    title: str
    points: float


class Criterion(Answer):
    """The open checks of one quality of one function."""

    function: str
    family: str
    points: float
    checks: list[Check]


class Price(Answer):
    """What a late submission costs if it is the one that counts, and `says` so in words.

    It spends `grace_days` of `grace_days_left`, and then the share `penalty` of the points that it earns is
    lost. `dearer` are the titles of assignments that cost more than so far because of it.
    """

    days_late: int
    grace_days: int
    grace_days_left: int
    penalty: float
    dearer: list[str]
    says: str


class MyTurn(Answer):
    """Whether I may hand in now, and what it costs (`price`, null in time).

    `refusal` says why I may not, and is empty if I may.
    """

    open: bool
    refusal: str
    used: int
    left: int | None
    next_at: datetime | None
    days_late: int
    price: Price | None


class AssignmentDetail(Assignment):
    """An assignment with everything that its page says."""

    version: int
    entry: str
    functions: list[str]
    lesson: str
    rubric: list[Criterion]
    bundle: bool = Field(description="Whether the visible checks can be downloaded.")
    turn: MyTurn


class Submission(Answer):
    """One of my submissions; `points` and `max_score` are of open checks, null while it is not graded."""

    id: UUID
    number: int
    received_at: datetime
    points: float | None
    max_score: float | None
    hidden: list[Hidden]
    counts: bool


class Notice(Answer):
    """Something to know about an upload; costs nothing."""

    code: str
    message: str
    line: int | None


class FunctionFound(Answer):
    """Whether a function is there; null where it does not parse, or only running it could tell."""

    name: str
    found: bool | None


class Precheck(Answer):
    """What can be said of an upload without running it."""

    ready: bool
    parses: bool
    files: list[str]
    content_hash: str
    functions: list[FunctionFound]
    notices: list[Notice]
    turn: MyTurn


class Received(Answer):
    """A submission that is stored and will be graded."""

    id: UUID
    number: int
    received_at: datetime
    content_hash: str
    repeated: bool
    notices: list[Notice]
    price: Price | None
    page: str


def submission_json(entry: VisibleWork, *, counting: UUID | None) -> Submission:
    """A submission as its author may know it."""
    work = entry.work
    return Submission(
        id=work.submission_id,
        number=work.number,
        received_at=work.received_at,
        points=points(work.points),
        max_score=points(work.max_score),
        hidden=hidden_json(entry.hidden),
        counts=work.submission_id == counting,
    )


def hidden_json(hidden: tuple[HiddenChecks, ...]) -> list[Hidden]:
    """Checks that are not open."""
    return [
        Hidden(opens=part.visibility.value, count=part.count, points=points(part.points)) for part in hidden
    ]


def membership_json(seat: Seat) -> Membership:
    """A course that somebody is a member of."""
    return Membership(slug=seat.course_slug, title=seat.course_title, timezone=seat.timezone, role=seat.role)


def course_json(view: CourseView) -> Course:
    """A course as a member has it."""
    return Course(
        slug=view.seat.course_slug,
        title=view.seat.course_title,
        timezone=view.seat.timezone,
        role=view.seat.role,
        archived=view.archived,
        grace_days=view.grace_days,
        grace_days_left=view.grace_left,
        assignments=[assignment_json(item, released=item.schedule.released(view.now)) for item in view.items],
    )


def assignment_json(item: Coursework, *, released: bool) -> Assignment:
    """An assignment as a member has it."""
    schedule, standing = item.schedule, item.standing
    return Assignment(
        slug=item.slug,
        title=item.title,
        opens_at=schedule.opens_at,
        due_at=item.deadline.due_at,
        closes_at=item.deadline.closes_at,
        extended=item.deadline.extended,
        closed=item.closed,
        draft=schedule.draft,
        released=released,
        late_rule=schedule.late_rule,
        late_share_per_day=points(schedule.per_day),
        uses_grace_days=schedule.uses_grace,
        counting=schedule.counting,
        submission_limit=schedule.submission_limit,
        cooldown_s=schedule.cooldown_s,
        max_score=points(item.max_score),
        open_score=points(item.open_score),
        hidden=hidden_json(item.hidden),
        points=points(standing.points),
        worth=points(item.worth),
        days_late=standing.lateness.days_late,
        penalty=points(standing.lateness.penalty),
        counts=item.counting,
        submissions=len(item.works),
    )


def price_json(tag: PriceTag | None, *, begin: str = NOW) -> Price | None:
    """What handing in late costs; the words begin like that."""
    if tag is None:
        return None
    late = tag.price.lateness
    return Price(
        days_late=late.days_late,
        grace_days=late.grace_days,
        grace_days_left=tag.price.grace_left,
        penalty=points(late.penalty),
        dearer=list(tag.dearer),
        says=price_words(tag, begin),
    )


def turn_json(turn: Turn, price: PriceTag | None) -> MyTurn:
    """Whether somebody may hand in, and what it costs."""
    return MyTurn(
        open=turn.open,
        refusal=turn.refusal,
        used=turn.used,
        left=turn.left,
        next_at=turn.next_at,
        days_late=turn.days_late,
        price=price_json(price),
    )


def assignment_detail(found: AssignmentPage) -> AssignmentDetail:
    """Everything that an assignment's page says."""
    plain = assignment_json(found.item, released=found.item.schedule.released(found.turn.at))
    return AssignmentDetail(
        **plain.model_dump(),
        version=found.version,
        entry=found.entry,
        functions=list(found.functions),
        lesson=found.lesson,
        rubric=[
            Criterion(
                function=criterion.function,
                family=criterion.family,
                points=points(criterion.points),
                checks=[Check(title=check.title, points=points(check.points)) for check in criterion.checks],
            )
            for criterion in found.rubric.criteria
        ],
        bundle=found.bundle,
        turn=turn_json(found.turn, found.price),
    )


def precheck_json(found: prechecking.Precheck) -> Precheck:
    """What can be said of an upload."""
    return Precheck(
        ready=found.ready,
        parses=found.parses,
        files=list(found.files),
        content_hash=found.content_hash,
        functions=[FunctionFound.model_validate(item) for item in found.functions],
        notices=[Notice.model_validate(notice) for notice in found.notices],
        turn=turn_json(found.turn, found.price),
    )


def received_json(receipt: Receipt, *, price: PriceTag | None, page: str) -> Received:
    """A submission that is stored, what it costs because it is late, and the address of its page."""
    return Received(
        id=receipt.submission_id,
        number=receipt.number,
        received_at=receipt.received_at,
        content_hash=receipt.content_hash,
        repeated=receipt.repeated,
        notices=[Notice.model_validate(notice) for notice in receipt.notices],
        price=price_json(price, begin=THEN),
        page=page,
    )
