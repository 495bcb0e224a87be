from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from grader.db.database import Database
from grader.services.policy import QueuePolicy
from tests.courses import SampleCourse, sample_course
from tests.reviews import ReviewedCourse, reviewed_course
from tests.storage import KINDS, open_database


@pytest.fixture(params=KINDS)
def database(request: pytest.FixtureRequest) -> Iterator[Database]:
    with open_database(request.param) as database:
        yield database


@pytest.fixture
def course(database: Database, tmp_path: Path) -> SampleCourse:
    return sample_course(database, tmp_path / "doubling")


@pytest.fixture
def policy() -> QueuePolicy:
    """Leases long enough for a busy machine; tests that want one to end wait for a short one."""
    return QueuePolicy(lease_s=30, retry_delay_s=0, resend_after_s=30, progress_every_s=0.01)


@pytest.fixture
def cache(tmp_path: Path) -> Path:
    return tmp_path / "versions"


@pytest.fixture
def review(database: Database, tmp_path: Path) -> ReviewedCourse:
    """The course with people in every role."""
    return reviewed_course(database, tmp_path)
