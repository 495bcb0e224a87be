from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from celery import Celery

from grader.domain.attempts import RunOutcome
from grader.domain.errors import EngineUnavailable, SealUnavailable
from grader.services import reading
from grader.services.embedded import EmbeddedValkey
from grader.services.policy import QueuePolicy
from grader.services.settings import Settings
from tests.courses import SampleCourse, sample_course
from tests.engines import TextEngine
from tests.storage import open_database
from workers import process
from workers.app import make_app
from workers.process import GradingProcess


class Opened:
    """An engine factory that remembers."""

    def __init__(self) -> None:
        self.events: list[str] = []

    @contextmanager
    def __call__(self) -> Iterator[TextEngine]:
        self.events.append("opened")
        yield TextEngine()
        self.events.append("closed")


@pytest.fixture
def course(tmp_path: Path) -> Iterator[SampleCourse]:
    with open_database("sqlite") as database:
        yield sample_course(database, tmp_path / "doubling")


@pytest.fixture
def settings(course: SampleCourse, tmp_path: Path) -> Iterator[Settings]:
    with EmbeddedValkey() as valkey:
        yield Settings(
            home=tmp_path / "home",
            database_url=str(course.database.engine.url),
            broker_url=valkey.url,
            policy=QueuePolicy(dispatch_every_s=0.01),
        )


@pytest.fixture
def app(settings: Settings) -> Iterator[Celery]:
    app = make_app(settings)
    yield app
    app.close()


def test_the_engine_is_opened_at_the_first_attempt_kept_warm_and_closed_at_the_end(
    course: SampleCourse, settings: Settings, app: Celery, monkeypatch: pytest.MonkeyPatch
) -> None:
    factory = Opened()
    monkeypatch.setattr(process, "load_engine_factory", lambda _: factory)
    grading_process = GradingProcess(app, settings)
    assert factory.events == []
    outcomes = [grading_process.run(course.submit().attempt_id) for _ in range(2)]
    assert outcomes == [RunOutcome.GRADED] * 2
    assert factory.events == ["opened"]
    grading_process.close()
    assert factory.events == ["opened", "closed"]
    assert not [thread for thread in threading.enumerate() if thread.name == "housekeeper"]


def test_staff_can_see_which_process_has_an_attempt(
    course: SampleCourse, settings: Settings, app: Celery, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(process, "load_engine_factory", lambda _: Opened())
    monkeypatch.setattr("socket.gethostname", lambda: "node7")
    receipt = course.submit()
    grading_process = GradingProcess(app, settings)
    grading_process.run(receipt.attempt_id)
    grading_process.close()
    assert str(reading.attempt(course.database, receipt.attempt_id).worker).startswith("node7:")


@pytest.mark.parametrize(
    "spec, error",
    [("tests.engines:unsealed_engine", SealUnavailable), ("tests.engines:broken_engine", EngineUnavailable)],
)
def test_an_engine_that_cannot_be_opened_is_no_fault_of_the_attempt(
    course: SampleCourse, settings: Settings, app: Celery, spec: str, error: type[Exception]
) -> None:
    receipt = course.submit()
    object.__setattr__(settings, "engine", spec)
    grading_process = GradingProcess(app, settings)
    with pytest.raises(error):
        grading_process.run(receipt.attempt_id)
    grading_process.close()
    assert reading.attempt(course.database, receipt.attempt_id).tries == 0
