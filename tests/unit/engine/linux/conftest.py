"""One sealed launcher for all tests here that do not harm it."""

from __future__ import annotations

import sys
from collections.abc import Iterator

import pytest

from grader.engine.policy import Launcher
from tests import boxes
from tests.boxes import Inmate

collect_ignore_glob = [] if sys.platform == "linux" else ["test_*.py"]


@pytest.fixture(scope="session")
def launcher() -> Iterator[Launcher]:
    launcher = boxes.sealed()
    yield launcher
    launcher.close()


@pytest.fixture
def inmate(launcher: Launcher) -> Iterator[Inmate]:
    inmate = boxes.start(launcher)
    yield inmate
    inmate.box.close()
