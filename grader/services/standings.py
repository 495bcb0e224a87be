"""What the students of a course have in each of its assignments, in a constant number of queries."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType
from typing import Never
from uuid import UUID

from sqlalchemy import select
from sqlalchemy.orm import Session

from grader.db import models
from grader.domain.scheduling import Schedule
from grader.domain.standing import CourseRules, GradedWork, Standing
from grader.services.access import Seat
from grader.services.counting import Scope, WorkOf, by_student, graded_works
from grader.services.courses import grace_days_of
from grader.services.schedules import Allowances, allowances_in, schedules_of

_NOTHING: Mapping[UUID, Never] = MappingProxyType({})


@dataclass(frozen=True, slots=True, kw_only=True)
class CourseWork:
    """Everything that standings of a course are derived from; `works` holds every submission in scope."""

    seat: Seat
    schedules: Mapping[UUID, Schedule]
    rules: CourseRules
    allowances: Allowances
    chosen: Mapping[UUID, Mapping[UUID, UUID]]
    """The submissions that students marked: by student, then by assignment."""
    works: tuple[WorkOf, ...]
    by_student: Mapping[UUID, Mapping[UUID, Sequence[GradedWork]]]
    """By student, then by assignment."""

    def of(self, user_id: UUID) -> Mapping[UUID, Standing]:
        """One student's standing in every assignment, by its id."""
        return self.rules.standings(
            self.by_student.get(user_id, _NOTHING),
            allowances=self.allowances.to(user_id, assignment_ids=self.schedules),
            chosen=self.chosen.get(user_id, _NOTHING),
        )


def course_work(session: Session, seat: Seat, *, scope: Scope | None = None) -> CourseWork:
    """The works of a course and what they are judged by; eight queries, however many students there are.

    `scope` narrows the works, for instance to one student; grace days are right only if it holds all of a
    student's assignments.
    """
    scope = scope or Scope(course_id=seat.course_id)
    assignment_ids = session.scalars(
        select(models.Assignment.id).where(models.Assignment.course_id == seat.course_id)
    ).all()
    works = graded_works(session, scope)
    schedules = schedules_of(session, assignment_ids)
    grace_days = grace_days_of(session, seat.course_id)
    return CourseWork(
        seat=seat,
        schedules=schedules,
        rules=CourseRules.of(schedules, zone=seat.zone, grace_days=grace_days),
        allowances=allowances_in(session, course_id=seat.course_id, user_id=scope.user_id),
        chosen=_chosen(session, seat.course_id),
        works=works,
        by_student=by_student(works),
    )


def _chosen(session: Session, course_id: UUID) -> Mapping[UUID, Mapping[UUID, UUID]]:
    query = (
        select(
            models.SubmissionChoice.assignment_id,
            models.SubmissionChoice.user_id,
            models.SubmissionChoice.submission_id,
        )
        .join(models.Assignment, models.Assignment.id == models.SubmissionChoice.assignment_id)
        .where(models.Assignment.course_id == course_id)
    )
    found: dict[UUID, dict[UUID, UUID]] = defaultdict(dict)
    for row in session.execute(query):
        found[row.user_id][row.assignment_id] = row.submission_id
    return found
