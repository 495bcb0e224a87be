"""The queue as it is watched: who waits is told their place, a log tells only turns of events."""

from __future__ import annotations

import io
from collections.abc import Iterator
from pathlib import Path
from types import SimpleNamespace
from typing import cast
from uuid import UUID

import pytest
from rich.console import Console

from grader.cli.demo import screen
from grader.cli.demo.samples import Sample
from grader.cli.demo.stage import HandedIn, Stage
from grader.cli.node import Node
from grader.db.database import Database
from grader.domain.errors import EngineFault
from grader.services import grading
from grader.services.policy import QueuePolicy
from tests.courses import SampleCourse, sample_course
from tests.engines import TextEngine
from tests.storage import open_database


@pytest.fixture
def database() -> Iterator[Database]:
    with open_database("sqlite") as database:
        yield database


@pytest.fixture
def course(database: Database, tmp_path: Path) -> SampleCourse:
    return sample_course(database, tmp_path / "doubling")


class IdleWorker:
    """Is there until told otherwise."""

    dead = False

    def require_running(self) -> None:
        if self.dead:
            raise EngineFault("the worker ended")


@pytest.fixture
def stage(course: SampleCourse) -> Stage:
    """Two samples in the queue, and no worker behind it."""
    handed_in = []
    for name, text in (("right.py", "def double(x): ..."), ("wrong.py", "# it_traces\nx = 1")):
        receipt = course.submit(text.encode(), name=name)
        sample = Sample(path=Path(name), student="bo", about="", score=0, fails=frozenset(), line=None)  # type: ignore[arg-type]
        handed_in.append(
            HandedIn(sample=sample, attempt_id=receipt.attempt_id, submission_id=receipt.submission_id)
        )
    node = cast("Node", SimpleNamespace(database=course.database))
    worker = IdleWorker()
    return Stage(node=node, worker=worker, assignment=None, handed_in=tuple(handed_in))  # type: ignore[arg-type]


@pytest.fixture
def grade_one_at_a_time(
    stage: Stage, course: SampleCourse, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Each time the watcher sleeps, the next attempt is graded."""
    waiting = [item.attempt_id for item in stage.handed_in]

    def grade_next(_seconds: float) -> None:
        attempt_id: UUID = waiting.pop(0)
        grading.run(
            attempt_id,
            database=course.database,
            engine=TextEngine(),
            cache=tmp_path / "versions",
            owner="test",
            policy=QueuePolicy(),
        )

    monkeypatch.setattr("grader.cli.demo.screen.sleep", grade_next)


@pytest.mark.usefixtures("grade_one_at_a_time")
def test_a_log_tells_each_turn_of_events_once(stage: Stage, capsys: pytest.CaptureFixture[str]) -> None:
    outcomes = screen.watch(Console(width=200), stage)
    assert capsys.readouterr().out.splitlines() == [
        "  right.py: waiting",
        "  wrong.py: waiting",
        "  right.py: 5 / 5 points",
        "  wrong.py: 11/3 / 5 points",
    ]
    assert [outcome.handed_in.sample.name for outcome in outcomes] == ["right.py", "wrong.py"]
    assert all(outcome.result is not None for outcome in outcomes)


@pytest.mark.usefixtures("grade_one_at_a_time")
def test_a_terminal_shows_place_and_loss(stage: Stage, monkeypatch: pytest.MonkeyPatch) -> None:
    titles: list[str] = []
    rows = []

    def record(shown: object, *, title: str) -> str:
        titles.append(title)
        rows.append(shown)
        return ""

    monkeypatch.setattr("grader.cli.demo.screen.results_table", record)
    screen.watch(Console(force_terminal=True, width=120, file=io.StringIO()), stage)
    first, second = rows
    assert [row.position for row in first] == [1, 2]
    assert [row.position for row in second] == [None, 1]
    assert second[0].lost == ()
    assert titles[1].startswith("Graded 1 of 2")


def test_a_worker_that_ends_too_early_ends_the_demo(stage: Stage) -> None:
    stage.worker.dead = True  # type: ignore[attr-defined]
    with pytest.raises(EngineFault):
        screen.watch(Console(), stage)
