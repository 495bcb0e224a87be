"""How far a submission's newest attempt is, in words that give no hidden check away."""

from __future__ import annotations

from dataclasses import dataclass
from uuid import UUID

from sqlalchemy import select
from sqlalchemy.orm import Session, defer

from grader.db import models
from grader.db.database import Database
from grader.domain.attempts import AttemptState
from grader.domain.results import Progress
from grader.domain.view import Disclosure, Reader
from grader.services import reading
from grader.services.access import Actor, submission_for
from grader.services.readers import reader_of
from grader.services.reading import QueuePosition
from grader.services.student.points import disclosures
from grader.services.student.reports import visible_attempts


@dataclass(frozen=True, slots=True, kw_only=True)
class ProgressNow:
    """Where an attempt is; `place` is set while it waits, `check` is the running one's title, if open."""

    submission_id: UUID
    number: int
    attempt: int
    state: AttemptState
    progress: Progress
    place: QueuePosition | None
    check: str

    @property
    def final(self) -> bool:
        """Whether nothing more will happen by itself."""
        return self.state.final


def progress_now(database: Database, *, actor: Actor, submission_id: UUID) -> ProgressNow:
    """How far the newest attempt is that this reader may see; a few short queries, for it is asked often."""
    with database.reading() as session:
        found = submission_for(session, submission_id=submission_id, user_id=actor.user_id)
        query = select(models.Attempt).options(defer(models.Attempt.result))
        newest = session.scalars(visible_attempts(query, found).limit(1)).one()
        progress = reading.progress_in(newest)
        title = ""
        if progress.check_id is not None:
            reader = reader_of(session, found, now=database.now(session))
            title = _open_title(session, newest.version_id, progress.check_id, reader)
        place = reading.place_of(session, newest)
    return ProgressNow(
        submission_id=submission_id,
        number=found.submission.number,
        attempt=newest.number,
        state=newest.state,
        progress=Progress(stage=progress.stage, done=progress.done, total=progress.total),
        place=place,
        check=title,
    )


def _open_title(session: Session, version_id: UUID, check_id: str, reader: Reader) -> str:
    rubric = session.scalars(
        select(models.AssignmentVersion.rubric).where(models.AssignmentVersion.id == version_id)
    ).one()
    if disclosures(rubric, reader).get(check_id) is not Disclosure.FULL:
        return ""
    return next(str(check["title"]) for check in rubric["checks"] if check["id"] == check_id)
