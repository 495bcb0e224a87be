"""What handing in late costs a student, told before they do and on their receipt."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime

from grader.domain.pricing import Price
from grader.domain.scheduling import Schedule
from grader.services.student.coursework import CourseView, Coursework


@dataclass(frozen=True, slots=True, kw_only=True)
class PriceTag:
    """A price, the rules that make it, and the titles of assignments that cost more because of it."""

    price: Price
    schedule: Schedule
    dearer: tuple[str, ...]


def price_tag(course: CourseView, item: Coursework, *, at: datetime) -> PriceTag | None:
    """What handing in at that moment costs; None in time, and for staff, who are in no gradebook."""
    if course.seat.staff:
        return None
    price = course.books.price(item.assignment_id, at=at)
    if not price.lateness.days_late:
        return None
    titles = {other.assignment_id: other.title for other in course.items}
    # One that the student does not see is not told of.
    dearer = tuple(titles[key] for key in price.dearer if key in titles)
    return PriceTag(price=price, schedule=item.schedule, dearer=dearer)
