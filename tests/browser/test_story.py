"""A course in a browser, from the first account to the last export."""

from __future__ import annotations

import pytest

from tests.browser.stage import Chapter, Story, by_title
from tests.browser.story import CHAPTERS

pytestmark = [pytest.mark.browser, pytest.mark.linux, pytest.mark.timeout(900)]


@pytest.mark.parametrize("chapter", by_title(CHAPTERS).values(), ids=by_title(CHAPTERS))
def test_the_story_goes_on(story: Story, chapter: Chapter) -> None:
    story.tell(chapter)
