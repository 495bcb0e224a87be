from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from uuid import UUID

import pytest
from sqlalchemy import func, select

from grader.db import models
from grader.db.database import Database
from grader.domain.attempts import AttemptState
from grader.services.embedded import EmbeddedValkey
from grader.services.reading import AttemptFilter, AttemptView, attempt, attempts
from tests.courses import SampleCourse, sample_course
from tests.processes import Run, Worker, read_journal, wait_for
from tests.storage import KINDS, database_url


@dataclass(kw_only=True)
class Site:
    """A whole small installation: database, broker, course; workers are started by the test."""

    database: Database
    course: SampleCourse
    valkey: EmbeddedValkey
    folder: Path
    environ: dict[str, str]
    seconds: float = 0.2
    workers: int = field(default=0, init=False)

    def worker(self, *, processes: int = 1, **more: str) -> Worker:
        self.workers += 1
        environ = {**self.environ, "GRADER_TEST_SECONDS": str(self.seconds), **more}
        return Worker(environ, log=self.folder / f"worker-{self.workers}.log", processes=processes)

    @property
    def runs(self) -> list[Run]:
        """Every run that an engine has begun."""
        return read_journal(self.folder / "journal")

    @property
    def runs_per_attempt(self) -> Counter[int]:
        """How many attempts were begun once, twice, ..."""
        return Counter(Counter(run.seed for run in self.runs).values())

    def view(self, attempt_id: UUID) -> AttemptView:
        return attempt(self.database, attempt_id)

    def wait_until_all_final(self, *, within_s: float = 90.0) -> None:
        wait_for(
            lambda: all(view.state.final for view in attempts(self.database, AttemptFilter())),
            within_s=within_s,
            what="every attempt to end",
        )

    def assert_each_graded_once(self, count: int) -> None:
        """Every attempt has exactly one result, stored once."""
        views = attempts(self.database, AttemptFilter())
        assert [view.state for view in views] == [AttemptState.GRADED] * count
        assert all(view.number == 1 for view in views)
        query = select(func.count()).select_from(models.CheckResult).group_by(models.CheckResult.attempt_id)
        with self.database.reading() as session:
            assert list(session.scalars(query)) == [3] * count


@pytest.fixture(params=KINDS)
def site(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Site]:
    with database_url(request.param) as url, EmbeddedValkey() as valkey:
        database = Database(url)
        environ = {
            "GRADER_HOME": str(tmp_path / "home"),
            "GRADER_DATABASE_URL": url,
            "GRADER_BROKER_URL": valkey.url,
            "GRADER_ENGINE": "tests.engines:recording_engine",
            "GRADER_TEST_JOURNAL": str(tmp_path / "journal"),
            "GRADER_LEASE_S": "2",
            "GRADER_SWEEP_EVERY_S": "0.3",
            "GRADER_RESEND_AFTER_S": "2",
            "GRADER_RETRY_DELAY_S": "0",
        }
        yield Site(
            database=database,
            course=sample_course(database, tmp_path / "doubling"),
            valkey=valkey,
            folder=tmp_path,
            environ=environ,
        )
        database.close()
