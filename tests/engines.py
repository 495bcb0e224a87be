"""Engines for tests: they judge by the submission's text, take as long as they are told, and can fail."""

from __future__ import annotations

import json
import os
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

from grader.domain.errors import SealUnavailable
from grader.domain.results import AttemptResult, CheckResult, Environment, Feedback, Progress, Stage
from grader.domain.rubric import Assignment, CheckSpec, Rubric
from grader.domain.student_bundle import Recorded
from grader.domain.submission import SubmittedFiles
from grader.domain.verdicts import Blame, Verdict
from tests.courses import rubric

ENVIRONMENT = Environment(jax="0", jaxlib="0", numpy="0", python="3", device="none")

Judge = Callable[[CheckSpec, SubmittedFiles], tuple[Verdict, Blame | None]]


def by_text(check: CheckSpec, files: SubmittedFiles) -> tuple[Verdict, Blame | None]:
    """A check passes unless the submission mentions its name."""
    if check.id.rsplit(".", 1)[1] in files.text_of(files.entry):
        return Verdict.FAILED, Blame.STUDENT
    return Verdict.PASSED, None


class TextEngine:
    """Judges each check by `judge`, spending `seconds` on it."""

    def __init__(self, judge: Judge = by_text, *, seconds: float = 0.0) -> None:
        self._judge, self._seconds = judge, seconds

    def start(self) -> None:
        """Nothing to get ready."""

    def rubric(self, _assignment: Assignment) -> Rubric:
        return rubric()

    def grade(
        self,
        files: SubmittedFiles,
        assignment: Assignment,
        *,
        seed: str,
        on_progress: Callable[[Progress], None],
    ) -> AttemptResult:
        checks = rubric().checks
        results = []
        for done, check in enumerate(checks):
            on_progress(Progress(stage=Stage.CHECKING, check_id=check.id, done=done, total=len(checks)))
            time.sleep(self._seconds)
            verdict, blame = self._judge(check, files)
            feedback = None if verdict is Verdict.PASSED else Feedback(code="values.differ", line=2)
            results.append(CheckResult(spec=check, verdict=verdict, blame=blame, feedback=feedback))
        return AttemptResult(
            assignment=assignment.slug,
            version=assignment.version,
            rubric=rubric(),
            results=tuple(results),
            environment=ENVIRONMENT,
            seed=seed,
        )

    def record(self, solution: SubmittedFiles, assignment: Assignment, *, seed: str) -> Recorded:
        result = self.grade(solution, assignment, seed=seed, on_progress=lambda _: None)
        return Recorded(result=result, answers=b"answers", withheld={})


class RecordingEngine(TextEngine):
    """Leaves a line in a file for every run it begins, for tests that kill the process it runs in."""

    def __init__(self, journal: Path, *, seconds: float) -> None:
        super().__init__(seconds=seconds)
        self._journal = journal

    def rubric(self, _assignment: Assignment) -> Rubric:
        return rubric()

    def grade(
        self,
        files: SubmittedFiles,
        assignment: Assignment,
        *,
        seed: str,
        on_progress: Callable[[Progress], None],
    ) -> AttemptResult:
        with self._journal.open("a", encoding="utf-8") as journal:
            journal.write(json.dumps({"pid": os.getpid(), "seed": seed, "at": time.time()}) + "\n")
        return super().grade(files, assignment, seed=seed, on_progress=on_progress)


@contextmanager
def recording_engine() -> Iterator[RecordingEngine]:
    """For GRADER_ENGINE in tests with real workers; told by GRADER_TEST_JOURNAL and GRADER_TEST_SECONDS."""
    yield RecordingEngine(
        Path(os.environ["GRADER_TEST_JOURNAL"]), seconds=float(os.environ["GRADER_TEST_SECONDS"])
    )


class UnsealedEngine(TextEngine):
    """An engine on a machine that lacks a layer of the seal."""

    def start(self) -> None:
        raise SealUnavailable("seccomp", "the kernel has none.")


@contextmanager
def unsealed_engine() -> Iterator[UnsealedEngine]:
    yield UnsealedEngine()


@contextmanager
def broken_engine() -> Iterator[TextEngine]:
    raise OSError("no space left on device")
    yield
