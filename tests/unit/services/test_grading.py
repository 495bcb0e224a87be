from __future__ import annotations

import dataclasses
import threading
import time
from collections.abc import Callable
from fractions import Fraction
from pathlib import Path
from uuid import UUID, uuid4

import pytest
from sqlalchemy import select

from grader.db import models
from grader.domain.attempts import AttemptState, RunOutcome
from grader.domain.errors import AssignmentInvalid, EngineFault, SealUnavailable
from grader.domain.results import AttemptResult, Progress, Stage
from grader.domain.rubric import Assignment, CheckSpec
from grader.domain.submission import SubmittedFiles
from grader.domain.verdicts import Blame, Verdict
from grader.services import grading, reading
from grader.services.auditing import Action
from grader.services.leases import claim
from grader.services.policy import QueuePolicy
from grader.services.ports import GradingEngine
from grader.services.sweeping import sweep
from tests.courses import SOLUTION, SampleCourse
from tests.engines import TextEngine

WRONG = SOLUTION + b"# it_halves\n"
"""A submission that fails the check named so."""


class Runner:
    """Runs attempts of a course, and looks at what came of them."""

    def __init__(self, course: SampleCourse, cache: Path, policy: QueuePolicy) -> None:
        self.course, self.database, self.cache, self.policy = course, course.database, cache, policy

    def run(self, attempt_id: UUID, engine: GradingEngine | None = None) -> RunOutcome:
        return grading.run(
            attempt_id,
            database=self.database,
            engine=engine or TextEngine(),
            cache=self.cache,
            owner="here:1",
            policy=self.policy,
        )

    def row(self, attempt_id: UUID) -> models.Attempt:
        with self.database.reading() as session:
            return session.get_one(models.Attempt, attempt_id)

    def checks(self, attempt_id: UUID) -> list[models.CheckResult]:
        query = (
            select(models.CheckResult)
            .where(models.CheckResult.attempt_id == attempt_id)
            .order_by(models.CheckResult.position)
        )
        with self.database.reading() as session:
            return list(session.scalars(query))

    def actions(self, attempt_id: UUID) -> list[str]:
        query = select(models.AuditEvent.action).where(models.AuditEvent.subject_id == attempt_id)
        with self.database.reading() as session:
            return list(session.scalars(query))


@pytest.fixture
def runner(course: SampleCourse, cache: Path, policy: QueuePolicy) -> Runner:
    return Runner(course, cache, policy)


class FailingEngine:
    """Raises what it was given."""

    def __init__(self, error: Exception) -> None:
        self._error = error

    def grade(self, *_: object, **__: object) -> AttemptResult:
        raise self._error


def unjudged(blame: Blame) -> TextEngine:
    """An engine that loses one check to a fault of that blame."""

    def judge(check: CheckSpec, _: SubmittedFiles) -> tuple[Verdict, Blame | None]:
        if check.id == "double.jit.it_traces":
            return Verdict.INTERNAL_ERROR, blame
        return Verdict.PASSED, None

    return TextEngine(judge)


def test_a_graded_attempt_has_its_result_score_and_checks(runner: Runner) -> None:
    attempt_id = runner.course.submit(WRONG).attempt_id
    assert runner.run(attempt_id) is RunOutcome.GRADED
    row = runner.row(attempt_id)
    assert row.state is AttemptState.GRADED
    assert (row.score, row.max_score) == (Fraction(3), Fraction(5))
    assert (row.lease_token, row.progress, row.failure_reason) == (None, None, None)
    assert row.finished_at is not None
    found = [
        (check.check_id, check.verdict, check.earned, check.code, check.line)
        for check in runner.checks(attempt_id)
    ]
    assert found == [
        ("double.values.it_doubles", Verdict.PASSED, Fraction(5, 3), None, None),
        ("double.jit.it_traces", Verdict.PASSED, Fraction(4, 3), None, None),
        ("half.values.it_halves", Verdict.FAILED, Fraction(0), "values.differ", 2),
    ]


def test_the_stored_result_is_the_engines(runner: Runner) -> None:
    attempt_id = runner.course.submit(WRONG).attempt_id
    assert reading.result_of(runner.database, attempt_id) is None
    returned: list[AttemptResult] = []

    class Kept(TextEngine):
        def grade(
            self,
            files: SubmittedFiles,
            assignment: Assignment,
            *,
            seed: str,
            on_progress: Callable[[Progress], None],
        ) -> AttemptResult:
            returned.append(super().grade(files, assignment, seed=seed, on_progress=on_progress))
            return returned[0]

    runner.run(attempt_id, Kept())
    assert reading.result_of(runner.database, attempt_id) == returned[0]
    assert returned[0].seed == runner.row(attempt_id).seed


def test_a_second_message_for_the_same_attempt_does_nothing(runner: Runner) -> None:
    attempt_id = runner.course.submit().attempt_id
    assert runner.run(attempt_id) is RunOutcome.GRADED
    before = runner.row(attempt_id).finished_at
    assert runner.run(attempt_id, FailingEngine(AssertionError("must not run"))) is RunOutcome.NOT_QUEUED
    assert runner.row(attempt_id).finished_at == before


def test_a_message_for_an_attempt_that_does_not_exist_does_nothing(runner: Runner) -> None:
    assert runner.run(uuid4()) is RunOutcome.NOT_QUEUED


def test_of_many_workers_that_get_the_same_message_one_runs_it(runner: Runner) -> None:
    attempt_id = runner.course.submit().attempt_id
    outcomes: list[RunOutcome] = []
    threads = [
        threading.Thread(target=lambda: outcomes.append(runner.run(attempt_id, TextEngine(seconds=0.05))))
        for _ in range(6)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sorted(outcomes) == [RunOutcome.GRADED, *[RunOutcome.NOT_QUEUED] * 5]
    assert len(runner.checks(attempt_id)) == 3


def test_progress_can_be_watched_while_an_attempt_runs(runner: Runner) -> None:
    attempt_id = runner.course.submit().attempt_id
    assert reading.attempt(runner.database, attempt_id).progress.stage is Stage.QUEUED
    thread = threading.Thread(target=runner.run, args=(attempt_id, TextEngine(seconds=0.3)))
    thread.start()
    seen = set()
    while thread.is_alive():
        view = reading.attempt(runner.database, attempt_id)
        seen.add((view.state, view.progress.check_id, view.progress.done, view.progress.total))
        time.sleep(0.02)
    thread.join()
    assert (AttemptState.RUNNING, "double.jit.it_traces", 1, 3) in seen
    assert (AttemptState.RUNNING, "half.values.it_halves", 2, 3) in seen
    assert reading.attempt(runner.database, attempt_id).progress.stage is Stage.DONE


def test_a_heartbeat_keeps_the_lease_longer_than_it_was_given_for(runner: Runner) -> None:
    runner.policy = QueuePolicy(lease_s=0.5, progress_every_s=0.05)
    attempt_id = runner.course.submit().attempt_id
    thread = threading.Thread(target=runner.run, args=(attempt_id, TextEngine(seconds=0.5)))
    thread.start()
    while thread.is_alive():
        assert sweep(runner.database, policy=runner.policy).requeued == 0
        time.sleep(0.05)
    thread.join()
    assert runner.row(attempt_id).state is AttemptState.GRADED
    assert runner.row(attempt_id).tries == 1


def test_a_result_that_comes_too_late_is_dropped_and_recorded(runner: Runner) -> None:
    attempt_id = runner.course.submit().attempt_id

    class Overtaken(TextEngine):
        """While it works, its lease is taken for expired, and another worker grades the attempt."""

        def grade(
            self,
            files: SubmittedFiles,
            assignment: Assignment,
            *,
            seed: str,
            on_progress: Callable[[Progress], None],
        ) -> AttemptResult:
            steal(runner, attempt_id)
            assert runner.run(attempt_id) is RunOutcome.GRADED
            return super().grade(files, assignment, seed=seed, on_progress=on_progress)

    assert runner.run(attempt_id, Overtaken()) is RunOutcome.LEASE_LOST
    row = runner.row(attempt_id)
    assert (row.state, row.tries) == (AttemptState.GRADED, 2)
    assert len(runner.checks(attempt_id)) == 3
    assert runner.actions(attempt_id) == [Action.RESULT_DROPPED]


def steal(runner: Runner, attempt_id: UUID) -> None:
    """Make a lease look expired and let a sweeper find it."""
    with runner.database.writing() as session:
        row = session.get_one(models.Attempt, attempt_id)
        row.lease_expires_at = row.created_at
    assert sweep(runner.database, policy=runner.policy).requeued == 1


@pytest.mark.parametrize(
    "error", [EngineFault("the zygote died"), RuntimeError("\x1b[31mwhat?"), MemoryError()]
)
def test_a_fault_of_the_system_is_retried_and_then_left_to_staff(runner: Runner, error: Exception) -> None:
    attempt_id = runner.course.submit().attempt_id
    outcomes = [runner.run(attempt_id, FailingEngine(error)) for _ in range(3)]
    assert outcomes == [RunOutcome.WILL_RETRY, RunOutcome.WILL_RETRY, RunOutcome.NOT_GRADED]
    row = runner.row(attempt_id)
    assert (row.state, row.score, row.tries) == (AttemptState.NOT_GRADED, None, 3)
    assert row.failure_reason is not None
    assert "\x1b" not in row.failure_reason
    assert runner.actions(attempt_id) == [Action.ATTEMPT_NOT_GRADED]
    assert [view.id for view in reading.attempts(runner.database, reading.FOR_STAFF)] == [attempt_id]


def test_a_result_that_cannot_be_stored_is_a_fault_of_the_system(runner: Runner) -> None:
    attempt_id = runner.course.submit().attempt_id

    class Unstorable(TextEngine):
        """Reports one check twice, which the table of check results refuses."""

        def grade(
            self,
            files: SubmittedFiles,
            assignment: Assignment,
            *,
            seed: str,
            on_progress: Callable[[Progress], None],
        ) -> AttemptResult:
            result = super().grade(files, assignment, seed=seed, on_progress=on_progress)
            return dataclasses.replace(result, results=(*result.results, result.results[0]))

    assert runner.run(attempt_id, Unstorable()) is RunOutcome.WILL_RETRY
    assert runner.checks(attempt_id) == []
    assert runner.run(attempt_id) is RunOutcome.GRADED


def test_a_retry_that_succeeds_leaves_no_mark_on_the_grade(runner: Runner) -> None:
    attempt_id = runner.course.submit().attempt_id
    assert runner.run(attempt_id, FailingEngine(EngineFault("bad luck"))) is RunOutcome.WILL_RETRY
    assert runner.row(attempt_id).failure_reason == "bad luck"
    assert runner.run(attempt_id) is RunOutcome.GRADED
    assert runner.row(attempt_id).failure_reason is None


def test_a_fault_of_the_course_is_not_retried(runner: Runner, tmp_path: Path) -> None:
    attempt_id = runner.course.submit().attempt_id
    assert (
        runner.run(attempt_id, FailingEngine(AssignmentInvalid(tmp_path, "broken."))) is RunOutcome.NOT_GRADED
    )
    assert runner.row(attempt_id).tries == 1


def test_checks_that_nobody_could_judge_never_become_a_zero(runner: Runner) -> None:
    attempt_id = runner.course.submit().attempt_id
    assert runner.run(attempt_id, unjudged(Blame.COURSE)) is RunOutcome.NOT_GRADED
    row = runner.row(attempt_id)
    assert (row.score, row.max_score) == (None, Fraction(5))
    assert row.failure_reason == "not judged: double.jit.it_traces"
    assert [check.earned for check in runner.checks(attempt_id)] == [Fraction(5, 3), None, Fraction(2)]
    assert reading.result_of(runner.database, attempt_id) is not None


def test_checks_lost_to_the_system_are_worth_another_run(runner: Runner) -> None:
    attempt_id = runner.course.submit().attempt_id
    assert runner.run(attempt_id, unjudged(Blame.SYSTEM)) is RunOutcome.WILL_RETRY
    assert runner.checks(attempt_id) == []
    assert runner.run(attempt_id) is RunOutcome.GRADED


def test_a_result_for_another_seed_is_not_believed(runner: Runner) -> None:
    attempt_id = runner.course.submit().attempt_id

    class Confused(TextEngine):
        def grade(
            self,
            files: SubmittedFiles,
            assignment: Assignment,
            *,
            seed: str,
            on_progress: Callable[[Progress], None],
        ) -> AttemptResult:
            return super().grade(files, assignment, seed=f"not {seed}", on_progress=on_progress)

    assert runner.run(attempt_id, Confused()) is RunOutcome.WILL_RETRY
    assert "another version or seed" in str(runner.row(attempt_id).failure_reason)


def test_a_machine_that_cannot_seal_gives_the_attempt_back_and_uses_up_no_try(runner: Runner) -> None:
    attempt_id = runner.course.submit().attempt_id
    with pytest.raises(SealUnavailable):
        runner.run(attempt_id, FailingEngine(SealUnavailable("seccomp", "the kernel has none.")))
    row = runner.row(attempt_id)
    assert (row.state, row.tries) == (AttemptState.QUEUED, 0)
    assert runner.run(attempt_id) is RunOutcome.GRADED


def test_what_was_published_is_what_is_graded_with_even_if_the_folder_is_gone(runner: Runner) -> None:
    attempt_id = runner.course.submit().attempt_id
    (runner.course.folder / "assignment.toml").unlink()
    assert runner.run(attempt_id) is RunOutcome.GRADED


def test_a_lease_is_for_one_run(runner: Runner) -> None:
    attempt_id = runner.course.submit().attempt_id
    lease = claim(runner.database, attempt_id, owner="a", policy=runner.policy)
    assert lease is not None
    assert lease.tries == 1
    assert claim(runner.database, attempt_id, owner="b", policy=runner.policy) is None
