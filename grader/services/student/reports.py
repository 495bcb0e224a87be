"""The report of one submission: what was found, what staff say, what counts, and what came before.

The author reads what is open to them; the course's staff read everything. What an earlier attempt found stays
readable, except an attempt that a regrade plan has made and that does not count.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from fractions import Fraction
from typing import Any, TypeVarTuple
from uuid import UUID

from sqlalchemy import Select, or_, select
from sqlalchemy.orm import Session, defer

from grader.db import models
from grader.db.database import Database
from grader.domain.attempts import AttemptState
from grader.domain.errors import NotFound
from grader.domain.lessons import pointing_into
from grader.domain.reviewing import PlanState
from grader.domain.standing import GradedWork
from grader.domain.stored import load
from grader.domain.submission import SubmittedFiles
from grader.domain.view import Reader, ReportView, view_of
from grader.presentation.headings import anchors_in
from grader.services.access import Actor, Seat, SubmissionSeat, submission_for
from grader.services.counting import Scope, counting_attempts
from grader.services.publishing import version_for
from grader.services.student.coursework import CourseView, Coursework, course_view
from grader.services.student.handouts import lesson_text
from grader.services.student.notes import Notes, notes_for
from grader.services.student.points import disclosures, worth_of
from grader.services.uploads import load_uploads, read, wanted_by

Columns = TypeVarTuple("Columns")


@dataclass(frozen=True, slots=True, kw_only=True)
class AttemptEntry:
    """One attempt in a submission's history; `failure` is for staff and empty for others.

    `worth` is what its version is worth in all, hidden checks too; `because` the reason of the regrade that
    made it, and empty for others.
    """

    id: UUID
    number: int
    version: int
    worth: Fraction
    because: str
    state: AttemptState
    queued_at: datetime
    finished_at: datetime | None
    counts: bool
    failure: str


@dataclass(frozen=True, slots=True, kw_only=True)
class FileEntry:
    """One file of an upload, exactly as it came. `size` is in bytes."""

    position: int
    name: str
    size: int
    sha256: str


@dataclass(frozen=True, slots=True, kw_only=True)
class GradedAgain:
    """Why the attempt in view was made, and the points possible in it and in the attempt before it."""

    because: str
    worth_before: Fraction
    worth: Fraction


@dataclass(frozen=True, slots=True, kw_only=True)
class SubmissionReport:
    """Everything that one reader may know of a submission.

    `view` is None while nothing is graded; `points` are those of open checks as adjusted, before lateness.
    """

    submission_id: UUID
    number: int
    received_at: datetime
    content_hash: str
    student: str
    student_login: str
    own: bool
    seat: Seat
    now: datetime
    course: CourseView
    item: Coursework
    files: tuple[FileEntry, ...]
    source: SubmittedFiles
    attempts: tuple[AttemptEntry, ...]
    shown: AttemptEntry
    view: ReportView | None
    notes: Notes

    @property
    def reader(self) -> Reader:
        return self.item.reader

    @property
    def counts(self) -> bool:
        """Whether this is the submission that counts so far."""
        return self.item.counting == self.submission_id

    @property
    def graded_again(self) -> GradedAgain | None:
        """What is to be said of a regrade that made the attempt in view."""
        shown = self.shown
        if not shown.because:
            return None
        earlier = [entry for entry in self.attempts if entry.number < shown.number]
        before = next((entry for entry in earlier if entry.state is AttemptState.GRADED), shown)
        return GradedAgain(because=shown.because, worth_before=before.worth, worth=shown.worth)

    @property
    def worth(self) -> Fraction:
        """What `points` are out of; the version that they go by may not be the newest."""
        work = self._work
        return self.item.open_score if work is None or work.max_score is None else work.max_score

    @property
    def points(self) -> Fraction | None:
        """Points of open checks, as adjusted, before lateness; None while nothing counts."""
        return None if self._work is None else self._work.points

    @property
    def _work(self) -> GradedWork | None:
        works = (item.work for item in self.item.works)
        return next((work for work in works if work.submission_id == self.submission_id), None)

    @property
    def title(self) -> str:
        """How people speak of what is shown."""
        return f"submission {self.number}, attempt {self.shown.number}"


def report_of(
    database: Database, *, actor: Actor, submission_id: UUID, attempt: int | None = None
) -> SubmissionReport:
    """The report of a submission, of the attempt that counts or of the one numbered so.

    NotFound for whoever may not read it, and for an attempt that they may not see.
    """
    with database.reading() as session:
        now = database.now(session)
        return report_in(session, actor=actor, submission_id=submission_id, attempt=attempt, now=now)


def report_in(
    session: Session, *, actor: Actor, submission_id: UUID, now: datetime, attempt: int | None = None
) -> SubmissionReport:
    """As `report_of`, in the caller's session."""
    found = submission_for(session, submission_id=submission_id, user_id=actor.user_id)
    author = session.get_one(models.User, found.submission.user_id)
    course = course_view(session, found.seat, user_id=author.id, now=now)
    item = _item_of(course, found)
    attempts = attempts_of(session, found)
    shown = _shown(attempts, attempt, submission_id)
    version, result = _stored(session, shown.id)
    # Reports link to the assignment's page, which shows the newest version's lesson.
    anchors = anchors_in(lesson_text(session, version_for(session, found.submission.assignment_id)))
    uploads = load_uploads(session, submission_id)
    files = _files(session, submission_id)
    seen = disclosures(version.rubric, item.reader)
    notes = notes_for(session, found, reader=item.reader, seen=seen, titles=_titles(version.rubric))
    wanted = wanted_by(version.manifest)
    source = read(uploads, entry=wanted.entry, functions=wanted.functions)
    return SubmissionReport(
        submission_id=submission_id,
        number=found.submission.number,
        received_at=found.submission.received_at,
        content_hash=found.submission.content_hash,
        student=author.name,
        student_login=author.login,
        own=found.own,
        seat=found.seat,
        now=now,
        course=course,
        item=item,
        files=files,
        source=source,
        attempts=attempts,
        shown=shown,
        view=None
        if result is None
        else pointing_into(view_of(load(result), item.reader, source=source), anchors),
        notes=notes,
    )


def attempts_of(session: Session, found: SubmissionSeat) -> tuple[AttemptEntry, ...]:
    """The attempts that somebody may see, newest first. A plan that does not hold is for staff."""
    submission_id = found.submission.id
    query = visible_attempts(
        select(models.Attempt, models.AssignmentVersion, models.RegradePlan.reason)
        .join(models.AssignmentVersion, models.AssignmentVersion.id == models.Attempt.version_id)
        .options(defer(models.Attempt.result)),
        found,
    )
    counting = counting_attempts(session, Scope(submission_ids=[submission_id])).get(submission_id)
    return tuple(
        AttemptEntry(
            id=row.id,
            number=row.number,
            version=version.number,
            worth=worth_of(version.rubric),
            because=reason or "",
            state=row.state,
            queued_at=row.queued_at,
            finished_at=row.finished_at,
            counts=counting is not None and counting.attempt_id == row.id,
            failure=(row.failure_reason or "") if found.seat.staff else "",
        )
        for row, version, reason in session.execute(query)
    )


def visible_attempts(query: Select[*Columns], found: SubmissionSeat) -> Select[*Columns]:
    """The query, which selects from Attempt, for what somebody may see of a submission, newest first.

    It may ask for the regrade plan that made an attempt, too; most were made by none.
    """
    query = (
        query.outerjoin(models.RegradeItem, models.RegradeItem.attempt_id == models.Attempt.id)
        .outerjoin(models.RegradePlan, models.RegradePlan.id == models.RegradeItem.plan_id)
        .where(models.Attempt.submission_id == found.submission.id)
        .order_by(models.Attempt.number.desc())
    )
    if found.seat.staff:
        return query
    return query.where(or_(models.RegradePlan.id.is_(None), models.RegradePlan.state == PlanState.APPLIED))


def _item_of(course: CourseView, found: SubmissionSeat) -> Coursework:
    """The assignment as the author has it; one that was made a draft again takes its reports along."""
    try:
        return course.item(found.assignment.slug)
    except NotFound:
        raise NotFound("submission", str(found.submission.id)) from None


def _shown(attempts: Sequence[AttemptEntry], number: int | None, submission_id: UUID) -> AttemptEntry:
    if number is not None:
        for entry in attempts:
            if entry.number == number:
                return entry
        raise NotFound("attempt", f"{number} of submission {submission_id}")
    counting = [entry for entry in attempts if entry.counts]
    if not attempts:
        raise NotFound("attempt", f"of submission {submission_id}")
    return counting[0] if counting else attempts[0]


def _stored(session: Session, attempt_id: UUID) -> tuple[models.AssignmentVersion, Mapping[str, Any] | None]:
    row = session.execute(
        select(models.AssignmentVersion, models.Attempt.result)
        .join(models.Attempt, models.Attempt.version_id == models.AssignmentVersion.id)
        .where(models.Attempt.id == attempt_id)
    ).one()
    return row[0], row[1]


def _files(session: Session, submission_id: UUID) -> tuple[FileEntry, ...]:
    rows = session.execute(
        select(models.SubmissionFile, models.StoredFile.size)
        .join(models.StoredFile, models.StoredFile.sha256 == models.SubmissionFile.sha256)
        .where(models.SubmissionFile.submission_id == submission_id)
        .order_by(models.SubmissionFile.position)
    )
    return tuple(
        FileEntry(position=file.position, name=file.name, size=size, sha256=file.sha256)
        for file, size in rows
    )


def _titles(rubric: Mapping[str, Any]) -> Mapping[str, str]:
    return {check["id"]: check["title"] for check in rubric["checks"]}
