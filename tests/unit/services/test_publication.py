from __future__ import annotations

import io
import zipfile
from dataclasses import replace
from datetime import timedelta
from pathlib import Path

import pytest
from sqlalchemy import update

from grader.db import models
from grader.domain.attempts import Queue
from grader.domain.errors import (
    BrokerUnavailable,
    InvalidInput,
    NotAllowed,
    NotFound,
    SealUnavailable,
    UploadRefused,
)
from grader.domain.publication import PublicationState
from grader.domain.rubric import Assignment, CheckSpec, Rubric
from grader.domain.student_bundle import Recorded
from grader.domain.submission import SubmittedFiles
from grader.domain.verdicts import Blame, Verdict
from grader.services.health import GateHealth, health
from grader.services.policy import QueuePolicy
from grader.services.ports import GateMessage, Message
from grader.services.publication.announcing import announce_publications, recover_publications
from grader.services.publication.leases import claim
from grader.services.publication.requests import (
    PublicationView,
    publication,
    publications,
    request_publication,
    running_gates,
)
from grader.services.publication.running import run
from grader.services.publishing import current_version
from grader.services.scheduling import schedule_for
from grader.services.student.handouts import bundle_of
from tests.courses import write_assignment
from tests.engines import TextEngine
from tests.reviews import ReviewedCourse

POLICY = QueuePolicy(lease_s=30, max_tries=2, resend_after_s=30)


def by_what_is_written(_: CheckSpec, files: SubmittedFiles) -> tuple[Verdict, Blame | None]:
    """A function whose body is dots does nothing right."""
    undone = "..." in files.text_of(files.entry)
    return (Verdict.FAILED, Blame.STUDENT) if undone else (Verdict.PASSED, None)


def zipped(folder: Path, *, inside: str = "") -> bytes:
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w") as archive:
        for path in sorted(folder.rglob("*")):
            if path.is_file():
                archive.writestr(f"{inside}{path.relative_to(folder).as_posix()}", path.read_bytes())
    return out.getvalue()


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return write_assignment(tmp_path / "upload", lesson="A new lesson.\n").root


class Uploader:
    """Uploads folders as Ines, and runs their gates."""

    def __init__(self, review: ReviewedCourse) -> None:
        self.review, self.database = review, review.database

    def upload(self, data: bytes, *, as_draft: bool = False) -> PublicationView:
        return request_publication(
            self.database,
            actor=self.review.ines,
            course="jax",
            upload_name="hw.zip",
            data=data,
            as_draft=as_draft,
        )

    def gate(self, view: PublicationView, engine: TextEngine | None = None) -> PublicationState | None:
        engine = engine or TextEngine(by_what_is_written)
        return run(view.id, database=self.database, engine=engine, policy=POLICY)

    def look(self, view: PublicationView) -> PublicationView:
        return publication(self.database, actor=self.review.tia, course="jax", publication_id=view.id)

    def slug(self) -> int:
        return current_version(self.database, course_id=self.review.course.course_id, slug="doubling").number


def cpu_gates(uploader: Uploader) -> GateHealth:
    found = health(uploader.database, actor=uploader.review.tia, course="jax", policy=POLICY)
    return next(gates for gates in found.gates if gates.queue is Queue.CPU)


@pytest.fixture
def uploader(review: ReviewedCourse) -> Uploader:
    return Uploader(review)


@pytest.mark.parametrize("inside", ["", "functional/", "a/b/"])
def test_a_zipped_folder_becomes_the_next_version_once_its_gate_opens(
    uploader: Uploader, folder: Path, inside: str
) -> None:
    view = uploader.upload(zipped(folder, inside=inside))
    assert view.state is PublicationState.QUEUED
    assert uploader.slug() == 1
    assert uploader.gate(view) is PublicationState.PUBLISHED
    seen = uploader.look(view)
    assert (seen.version_number, seen.problem, seen.requested_by) == (2, None, "Ines")
    assert seen.gate is not None
    assert seen.gate["passed"] is True
    assert uploader.slug() == 2


def test_what_students_get_is_made_of_the_version_and_holds_no_solution(
    uploader: Uploader, folder: Path
) -> None:
    uploader.gate(uploader.upload(zipped(folder)))
    handout = bundle_of(uploader.database, actor=uploader.review.ines, course="jax", slug="doubling")
    with zipfile.ZipFile(io.BytesIO(handout.data)) as archive:
        assert "doubling/answers.bin" in archive.namelist()
        assert not [name for name in archive.namelist() if "solution" in name]


def test_the_same_folder_again_renews_what_students_get(uploader: Uploader, folder: Path) -> None:
    class Newer(TextEngine):
        def record(self, solution: SubmittedFiles, assignment: Assignment, *, seed: str) -> Recorded:
            return replace(super().record(solution, assignment, seed=seed), answers=b"newer answers")

    def answers() -> bytes:
        handout = bundle_of(uploader.database, actor=uploader.review.ines, course="jax", slug="doubling")
        with zipfile.ZipFile(io.BytesIO(handout.data)) as archive:
            return archive.read("doubling/answers.bin")

    uploader.gate(uploader.upload(zipped(folder)))
    assert answers() == b"answers"
    again = uploader.upload(zipped(folder))
    assert uploader.gate(again, Newer(by_what_is_written)) is PublicationState.UNCHANGED
    assert answers() == b"newer answers"


def test_what_students_get_cannot_be_published(uploader: Uploader, folder: Path) -> None:
    uploader.gate(uploader.upload(zipped(folder)))
    handout = bundle_of(uploader.database, actor=uploader.review.ines, course="jax", slug="doubling")
    with pytest.raises(InvalidInput, match="it has no solution"):
        uploader.upload(handout.data)


def test_gates_that_wait_or_run_are_listed_and_counted(uploader: Uploader, folder: Path) -> None:
    view = uploader.upload(zipped(folder))
    [gate] = running_gates(uploader.database, actor=uploader.review.tia, course="jax")
    assert gate.id == view.id
    waiting = cpu_gates(uploader)
    assert (waiting.queued, waiting.running, waiting.seen_at) == (1, 0, None)
    assert waiting.oldest is not None
    assert claim(uploader.database, view.id, policy=POLICY) is not None
    running = cpu_gates(uploader)
    assert (running.queued, running.running, running.oldest) == (0, 1, None)
    assert running.seen_at is not None


def test_a_gate_that_has_ended_is_counted_no_more(uploader: Uploader, folder: Path) -> None:
    uploader.gate(uploader.upload(zipped(folder)))
    assert running_gates(uploader.database, actor=uploader.review.tia, course="jax") == ()
    assert (cpu_gates(uploader).queued, cpu_gates(uploader).running) == (0, 0)


def test_a_folder_that_does_not_grade_as_declared_is_refused_and_says_why(
    uploader: Uploader, folder: Path
) -> None:
    view = uploader.upload(zipped(folder))
    assert uploader.gate(view, TextEngine()) is PublicationState.REFUSED
    seen = uploader.look(view)
    assert seen.gate is not None
    assert seen.gate["problems"] == [
        {"subject": "starter", "name": "starter", "says": "earns 5; the manifest declares 0"}
    ]
    assert uploader.slug() == 1


def test_an_unchanged_folder_publishes_nothing(uploader: Uploader, folder: Path) -> None:
    first, second = uploader.upload(zipped(folder)), uploader.upload(zipped(folder))
    assert uploader.gate(first) is PublicationState.PUBLISHED
    assert uploader.gate(second) is PublicationState.UNCHANGED
    assert uploader.slug() == 2


def test_a_new_assignment_may_begin_as_a_draft_but_one_that_is_there_stays_as_it_is(
    uploader: Uploader, folder: Path
) -> None:
    manifest = (folder / "assignment.toml").read_text()
    (folder / "assignment.toml").write_text(manifest.replace('"doubling"', '"tripling"', 1))
    for slug, hidden in (("tripling", True), ("doubling", False)):
        text = manifest.replace('"doubling"', f'"{slug}"', 1)
        (folder / "assignment.toml").write_text(text)
        uploader.gate(uploader.upload(zipped(folder), as_draft=True))
        found = schedule_for(uploader.database, actor=uploader.review.ines, course="jax", slug=slug)
        assert found.schedule.draft is hidden


def test_a_folder_that_is_no_assignment_is_refused_at_once_without_telling_where_it_was_unpacked(
    uploader: Uploader, folder: Path
) -> None:
    (folder / "solution" / "submission.py").write_text("def double(x): return 2 * x\n")
    with pytest.raises(InvalidInput, match="half") as caught:
        uploader.upload(zipped(folder))
    assert caught.value.field == "solution/submission.py"
    assert "/" not in caught.value.problem
    assert publications(uploader.database, actor=uploader.review.ines, course="jax") == ()


@pytest.mark.parametrize("name", ["../evil.py", "/etc/passwd", "C:evil.py"])
def test_a_zip_that_leads_out_of_its_folder_is_refused(uploader: Uploader, folder: Path, name: str) -> None:
    out = io.BytesIO(zipped(folder))
    with zipfile.ZipFile(out, "a") as archive:
        archive.writestr(name, "x")
    with pytest.raises(UploadRefused, match="outside"):
        uploader.upload(out.getvalue())


@pytest.mark.parametrize("data", [b"", b"not a zip", b"PK\x03\x04 broken"])
def test_what_is_no_zip_is_refused(uploader: Uploader, data: bytes) -> None:
    with pytest.raises(UploadRefused):
        uploader.upload(data)


def test_only_instructors_publish_and_strangers_learn_nothing(uploader: Uploader, folder: Path) -> None:
    review, data = uploader.review, zipped(folder)
    for actor, error in ((review.tia, NotAllowed), (review.ada, NotAllowed), (review.stranger, NotFound)):
        with pytest.raises(error):
            request_publication(uploader.database, actor=actor, course="jax", upload_name="hw.zip", data=data)
    view = uploader.upload(data)
    for stranger, refusal in ((review.ada, NotAllowed), (review.stranger, NotFound)):
        with pytest.raises(refusal):
            publication(uploader.database, actor=stranger, course="jax", publication_id=view.id)


def test_only_one_worker_runs_a_gate(uploader: Uploader, folder: Path) -> None:
    view = uploader.upload(zipped(folder))
    assert claim(uploader.database, view.id, policy=POLICY) is not None
    assert uploader.gate(view) is None


def test_a_waiting_folder_is_announced_once_and_again_when_nobody_takes_it(
    uploader: Uploader, folder: Path
) -> None:
    view, sent = uploader.upload(zipped(folder)), list[Message | GateMessage]()
    assert announce_publications(uploader.database, sent.append, policy=POLICY) == 1
    assert announce_publications(uploader.database, sent.append, policy=POLICY) == 0
    assert sent == [GateMessage(publication_id=view.id, queue=Queue.CPU, time_limit_s=6 * 390.0)]
    assert announce_publications(uploader.database, sent.append, policy=QueuePolicy(resend_after_s=1e-6)) == 1


def test_a_broker_that_is_away_delays_a_folder_and_loses_none(uploader: Uploader, folder: Path) -> None:
    def away(_: object) -> None:
        raise BrokerUnavailable("away")

    uploader.upload(zipped(folder))
    with pytest.raises(BrokerUnavailable):
        announce_publications(uploader.database, away, policy=POLICY)
    assert (
        announce_publications(uploader.database, lambda _: None, policy=QueuePolicy(resend_after_s=1e-6)) == 1
    )


def test_a_worker_that_dies_is_followed_by_another_and_at_last_by_a_word_to_staff(
    uploader: Uploader, folder: Path
) -> None:
    view = uploader.upload(zipped(folder))
    for left in (PublicationState.QUEUED, PublicationState.BROKEN):
        assert claim(uploader.database, view.id, policy=POLICY) is not None
        with uploader.database.writing() as session:
            past = uploader.database.now(session) - timedelta(seconds=1)
            session.execute(update(models.Publication).values(lease_expires_at=past))
        assert recover_publications(uploader.database, policy=POLICY) == 1
        assert uploader.look(view).state is left
    assert "no tries are left" in (uploader.look(view).problem or "")


class Failing(TextEngine):
    """Cannot even read the suite."""

    def __init__(self, error: Exception) -> None:
        super().__init__()
        self._error = error

    def rubric(self, _: Assignment) -> Rubric:
        raise self._error


def test_our_own_fault_is_tried_again_and_then_told(uploader: Uploader, folder: Path) -> None:
    view, engine = uploader.upload(zipped(folder)), Failing(RuntimeError("no luck"))
    assert uploader.gate(view, engine) is PublicationState.QUEUED
    assert uploader.gate(view, engine) is PublicationState.BROKEN
    assert uploader.look(view).problem == "the grader failed: RuntimeError: no luck"


def test_a_machine_that_cannot_seal_gives_the_folder_back(uploader: Uploader, folder: Path) -> None:
    view = uploader.upload(zipped(folder))
    with pytest.raises(SealUnavailable):
        uploader.gate(view, Failing(SealUnavailable("namespaces", "not here")))
    assert uploader.look(view).state is PublicationState.QUEUED
    assert uploader.gate(view) is PublicationState.PUBLISHED
