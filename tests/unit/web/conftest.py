from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.web import WebWorld, web_world


@pytest.fixture
def world(tmp_path: Path) -> Iterator[WebWorld]:
    with web_world(tmp_path) as world:
        yield world
