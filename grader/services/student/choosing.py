"""Choosing which submission counts, where the assignment leaves that to its students."""

from __future__ import annotations

from uuid import UUID

from grader.db import models
from grader.db.database import Database
from grader.db.statements import insert_if_absent
from grader.domain.errors import Conflict, NotFound
from grader.domain.scheduling import Counting
from grader.services.access import Actor, submission_for
from grader.services.auditing import Action, Subject, record
from grader.services.schedules import schedule_of


def choose(database: Database, *, actor: Actor, submission_id: UUID) -> None:
    """Mark one's own submission as the one that counts; the last choice holds.

    Conflict where the assignment chooses by itself, and once grades are released: then nothing is hidden.
    """
    with database.writing() as session:
        found = submission_for(session, submission_id=submission_id, user_id=actor.user_id)
        if not found.own:
            raise NotFound("submission of yours", str(submission_id))
        now = database.now(session)
        schedule = schedule_of(session, found.assignment.id)
        if schedule.counting is not Counting.CHOSEN:
            raise Conflict(f"In {found.assignment.slug} the {schedule.counting.value} submission counts.")
        if schedule.released(now):
            raise Conflict("Grades have been released; ask your course staff to change which one counts.")
        key = {"assignment_id": found.assignment.id, "user_id": actor.user_id}
        insert_if_absent(
            session,
            models.SubmissionChoice,
            [{**key, "submission_id": submission_id, "chosen_at": now}],
        )
        choice = session.get_one(
            models.SubmissionChoice, (found.assignment.id, actor.user_id), with_for_update=True
        )
        choice.submission_id, choice.chosen_at = submission_id, now
        record(
            session,
            Action.SUBMISSION_CHOSEN,
            subject=Subject.SUBMISSION,
            subject_id=submission_id,
            at=now,
            actor_id=actor.user_id,
        )
