"""Making a plan: which submissions are graded again, against which version, in the bulk lane."""

from __future__ import annotations

from collections.abc import Sequence
from uuid import UUID

from sqlalchemy import select
from sqlalchemy.orm import Session

from grader.db import models
from grader.db.database import Database
from grader.domain.attempts import Lane
from grader.domain.errors import Conflict, InvalidInput, NotFound
from grader.domain.regrades import Selection, Which
from grader.domain.reviewing import PlanState
from grader.domain.text import printable
from grader.services.access import Actor, Seat, assignment_in, seat_in
from grader.services.auditing import Action, Subject, record
from grader.services.counting import Scope, counting_query
from grader.services.publishing import version_for
from grader.services.queueing import enqueue
from grader.services.regrading.plans import PlanView, plan_in
from grader.services.standings import course_work

LONGEST_REASON = 1000


def make_plan(
    database: Database,
    *,
    actor: Actor,
    course: str,
    slug: str,
    selection: Selection,
    reason: str,
    secret: bytes,
    version: int | None = None,
) -> PlanView:
    """Queue new attempts for the selected submissions, against the version numbered so (None: the newest).

    They count only once the plan is applied. Conflict if nothing is selected.
    """
    reason = printable(reason.strip(), limit=LONGEST_REASON)
    if not reason:
        raise InvalidInput("reason", "it is empty.", "Say why, for whoever looks at these grades later.")
    with database.writing() as session:
        now = database.now(session)
        seat = seat_in(session, course=course, user_id=actor.user_id).require_instructor()
        assignment = assignment_in(session, seat, slug=slug, now=now)
        # Attempts are numbered: two plans for one assignment are made one after the other.
        session.refresh(assignment, with_for_update={"key_share": True})
        target = _version(session, assignment, version)
        chosen = selected(session, seat, assignment_id=assignment.id, selection=selection)
        if not chosen:
            raise Conflict("no submission fits this choice: there is nothing to grade again.")
        row = models.RegradePlan(
            assignment_id=assignment.id,
            version_id=target.id,
            reason=reason,
            state=PlanState.RUNNING,
            created_by=actor.user_id,
            created_at=now,
            applied_at=None,
            undone_at=None,
        )
        session.add(row)
        session.flush()
        for submission_id in chosen:
            attempt = enqueue(
                session, submission_id=submission_id, version=target, lane=Lane.BULK, secret=secret, now=now
            )
            session.add(
                models.RegradeItem(plan_id=row.id, submission_id=submission_id, attempt_id=attempt.id)
            )
        record(
            session,
            Action.REGRADE_PLANNED,
            subject=Subject.REGRADE_PLAN,
            subject_id=row.id,
            at=now,
            actor_id=actor.user_id,
            data={"assignment": slug, "version": target.number, "submissions": len(chosen)},
        )
        session.flush()
        return plan_in(session, seat, slug=slug, plan_id=row.id)


def selected(session: Session, seat: Seat, *, assignment_id: UUID, selection: Selection) -> tuple[UUID, ...]:
    """The submissions that a selection means, in the order of their ids."""
    if selection.which is Which.ALL:
        found = set(
            session.scalars(
                select(models.Submission.id).where(models.Submission.assignment_id == assignment_id)
            )
        )
    else:
        work = course_work(session, seat)
        students = {item.user_id for item in work.works if item.assignment_id == assignment_id}
        standing = [work.of(user_id)[assignment_id].work for user_id in students]
        found = {item.submission_id for item in standing if item is not None}
    if selection.check_id is not None:
        found &= _with_check(session, assignment_id=assignment_id, selection=selection)
    return tuple(sorted(found))


def _with_check(session: Session, *, assignment_id: UUID, selection: Selection) -> set[UUID]:
    counting = counting_query(Scope(assignment_id=assignment_id))
    query = (
        select(counting.c.submission_id)
        .join(models.CheckResult, models.CheckResult.attempt_id == counting.c.attempt_id)
        .where(models.CheckResult.check_id == selection.check_id)
    )
    if selection.verdicts:
        query = query.where(models.CheckResult.verdict.in_(selection.verdicts))
    return set(session.scalars(query))


def versions_of(session: Session, assignment_id: UUID) -> Sequence[models.AssignmentVersion]:
    """An assignment's versions, newest first."""
    return session.scalars(
        select(models.AssignmentVersion)
        .where(models.AssignmentVersion.assignment_id == assignment_id)
        .order_by(models.AssignmentVersion.number.desc())
    ).all()


def _version(session: Session, assignment: models.Assignment, number: int | None) -> models.AssignmentVersion:
    if number is None:
        return version_for(session, assignment.id)
    for version in versions_of(session, assignment.id):
        if version.number == number:
            return version
    raise NotFound("version", f"{assignment.slug} {number}")
