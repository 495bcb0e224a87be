"""One server, one browser and one story for all tests of a run."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from playwright.sync_api import Browser

from tests.browser.chromium import MISSING, chromium
from tests.browser.server import running_server
from tests.browser.stage import Stage, Story
from tests.browser.story import CHAPTERS


@pytest.fixture(scope="session")
def browser() -> Iterator[Browser]:
    """A running Chromium."""
    with chromium() as found:
        if found is None:
            pytest.skip(MISSING)
        yield found


@pytest.fixture(scope="session")
def story(browser: Browser, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Story]:
    """The story, of which nothing is told yet."""
    with running_server(tmp_path_factory.mktemp("grader") / "home") as server:
        yield Story(Stage(server=server, browser=browser), CHAPTERS)
