from __future__ import annotations

from collections.abc import Iterator

import pytest

from grader.db.database import Database
from tests.storage import KINDS, open_database


@pytest.fixture(params=KINDS)
def database(request: pytest.FixtureRequest) -> Iterator[Database]:
    with open_database(request.param) as database:
        yield database


@pytest.fixture(params=KINDS)
def empty_database(request: pytest.FixtureRequest) -> Iterator[Database]:
    """A database without any tables."""
    with open_database(request.param, migrated=False) as database:
        yield database
