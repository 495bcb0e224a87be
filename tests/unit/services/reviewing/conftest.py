from __future__ import annotations

from pathlib import Path

import pytest

from grader.db.database import Database
from tests.reviews import ReviewedCourse, reviewed_course


@pytest.fixture
def school(database: Database, tmp_path: Path) -> ReviewedCourse:
    return reviewed_course(database, tmp_path)
