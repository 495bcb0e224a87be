"""One assignment as a member sees it before handing in: lesson, rubric, dates, turns, and what they have."""

from __future__ import annotations

from dataclasses import dataclass

from grader.db.database import Database
from grader.services.access import Actor, Seat, assignment_in, seat_in
from grader.services.publishing import version_for
from grader.services.student.coursework import CourseView, Coursework, course_view
from grader.services.student.handouts import RubricSheet, has_bundle, lesson_text, rubric_sheet
from grader.services.student.prices import PriceTag, price_tag
from grader.services.turns import Turn, turn_of


@dataclass(frozen=True, slots=True, kw_only=True)
class AssignmentPage:
    """Everything that stands on an assignment's page.

    `lesson` is Markdown; `price` is what handing in now costs because it is late, None in time.
    """

    seat: Seat
    course: CourseView
    item: Coursework
    turn: Turn
    price: PriceTag | None
    version: int
    entry: str
    functions: tuple[str, ...]
    lesson: str
    rubric: RubricSheet
    bundle: bool
    """Whether the visible checks can be downloaded."""


def assignment_page(database: Database, *, actor: Actor, course: str, slug: str) -> AssignmentPage:
    """The page of an assignment; NotFound for whoever may not see it."""
    with database.reading() as session:
        now = database.now(session)
        seat = seat_in(session, course=course, user_id=actor.user_id)
        row = assignment_in(session, seat, slug=slug, now=now)
        view = course_view(session, seat, user_id=actor.user_id, now=now)
        item = view.item(slug)
        version = version_for(session, row.id)
        return AssignmentPage(
            seat=seat,
            course=view,
            item=item,
            turn=turn_of(session, row, user_id=actor.user_id, role=seat.role, at=now),
            price=price_tag(view, item, at=now),
            version=version.number,
            entry=version.manifest["entry"],
            functions=tuple(function["name"] for function in version.manifest["functions"]),
            lesson=lesson_text(session, version),
            rubric=rubric_sheet(version.rubric, item.reader),
            bundle=has_bundle(session, version.id),
        )
