"""The whole path with the real engine: submitted, queued, killed in the middle, and graded all the same."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path
from uuid import UUID, uuid4

import pytest

from grader.content.assignments import find_assignment, read_assignment
from grader.db.database import Database
from grader.domain.attempts import AttemptState
from grader.domain.results import AttemptResult, Stage
from grader.domain.verdicts import Verdict
from grader.engine import Engine
from grader.services import reading
from grader.services.embedded import EmbeddedValkey
from grader.services.people import enrol, ensure_course, ensure_person
from grader.services.publishing import publish
from grader.services.submitting import submit
from grader.services.uploads import Upload
from tests.courses import SECRET
from tests.processes import Worker, runs, wait_for
from tests.storage import database_url

pytestmark = [
    pytest.mark.slow,
    pytest.mark.linux,
    pytest.mark.skipif(sys.platform != "linux", reason="workers grade sealed off, which needs Linux"),
]

ASSIGNMENT = "functional-core"


@dataclass(frozen=True, slots=True, kw_only=True)
class Published:
    """The assignment that comes with the product, published for a student."""

    database: Database
    assignment_id: UUID
    student_id: UUID
    environ: dict[str, str]
    folder: Path

    def submit(self, path: Path) -> UUID:
        receipt = submit(
            self.database,
            uploads=[Upload(name=path.name, data=path.read_bytes())],
            assignment_id=self.assignment_id,
            user_id=self.student_id,
            idempotency_key=str(uuid4()),
            secret=SECRET,
        )
        return receipt.attempt_id

    def worker(self, name: str) -> Worker:
        return Worker(self.environ, log=self.folder / f"{name}.log")

    def view(self, attempt_id: UUID) -> reading.AttemptView:
        return reading.attempt(self.database, attempt_id)

    def result(self, attempt_id: UUID) -> AttemptResult:
        found = reading.result_of(self.database, attempt_id)
        assert found is not None
        return found


@pytest.fixture
def published(tmp_path: Path) -> Iterator[Published]:
    assignment = read_assignment(find_assignment(ASSIGNMENT))
    with Engine() as engine:
        rubric = engine.rubric(assignment)
    with database_url("sqlite") as url, EmbeddedValkey() as valkey:
        database = Database(url)
        course = ensure_course(database, slug="jax", title="JAX")
        ada = ensure_person(database, login="ada")
        enrol(database, course_id=course.id, user_id=ada.id)
        version = publish(database, course_id=course.id, assignment=assignment, rubric=rubric)
        yield Published(
            database=database,
            assignment_id=version.assignment_id,
            student_id=ada.id,
            environ={
                "GRADER_HOME": str(tmp_path / "home"),
                "GRADER_DATABASE_URL": url,
                "GRADER_BROKER_URL": valkey.url,
                "GRADER_LEASE_S": "5",
                "GRADER_SWEEP_EVERY_S": "0.5",
            },
            folder=tmp_path,
        )
        database.close()


def test_a_worker_killed_while_it_grades_leaves_no_process_and_loses_no_submission(
    published: Published,
) -> None:
    folder = find_assignment(ASSIGNMENT)
    right = published.submit(folder / "solution" / "submission.py")
    wrong = published.submit(folder / "samples" / "prints.py")
    with published.worker("first") as worker:
        wait_for(
            lambda: published.view(right).progress.stage is Stage.CHECKING,
            within_s=120,
            what="the first check",
        )
        pids = worker.pids
        assert len(pids) > 2  # Celery's two, and the engine's
        worker.kill()
        wait_for(lambda: not any(runs(pid) for pid in pids), what="every process of the engine to end")
    with published.worker("second"):
        wait_for(
            lambda: all(published.view(attempt_id).state.final for attempt_id in (right, wrong)),
            within_s=180,
            what="both to be graded",
        )
    assert [published.view(attempt_id).state for attempt_id in (right, wrong)] == [AttemptState.GRADED] * 2
    assert [published.view(attempt_id).tries for attempt_id in (right, wrong)] == [2, 1]
    assert published.view(right).score == published.view(right).max_score == Fraction(100)
    failed = {
        check.spec.id for check in published.result(wrong).results if check.verdict is not Verdict.PASSED
    }
    assert failed
    assert {check_id.split(".")[1] for check_id in failed} == {"purity"}
